package io.egress.api.admin.deliveries;

import io.egress.api.admin.attempts.AnswerText;
import io.egress.api.intake.CreationPlace;
import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.PageLog;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The pages that endpoints were sent, as the log has them. */
public final class SentPages {
  /**
   * A page with its newest attempt.
   *
   * @param event which says of what; positions of changes are their numbers
   * @param documents how many captures it has
   * @param lastFailure how that attempt failed, in words; null if it succeeded
   * @param answer the beginning of what the receiver answered to it, if that is text
   */
  public record SentPage(
      UUID id,
      Event event,
      long afterPosition,
      long lastPosition,
      int documents,
      DeliveryState state,
      int attempts,
      @Nullable Instant nextAttemptAt,
      Instant owedAt,
      Instant updatedAt,
      @Nullable String lastOutcome,
      @Nullable Integer lastStatus,
      @Nullable String lastFailure,
      @Nullable String answer) {
    CreationPlace place() {
      return new CreationPlace(owedAt, id);
    }
  }

  /** A page, and the endpoint that it was sent to. */
  public record PageOf(UUID endpointId, SentPage page) {}

  /** After all of them, in time. */
  public static final CreationPlace NEWEST =
      new CreationPlace(Instant.parse("9999-12-31T23:59:59Z"), new UUID(-1, -1));

  /**
   * Newest first. The log has a page that is tried for days in each of them, and only the last one
   * has its end. Those with a capture are few, and found by their place in the stream, or by the
   * captures of their changes; all are read in their order.
   */
  private static final String LIST =
      """
      with sent as %s (
        select * from pages where endpoint_id = $1 %s)
      select p.*, a.outcome, a.status, a.detail, a.answer,
        p.state = 'delivered' or exists (select from pages d where d.id = p.id and d.state = 'delivered') as is_delivered
      from (
        select * from sent where (owed_at, id) < ($2, $3)
        order by owed_at desc, id desc limit $4) p
      left join lateral (
        select outcome, status, detail, answer from attempts where delivery_id = p.id and day = p.day
        order by attempt desc limit 1) a on true
      order by p.owed_at desc, p.id desc
      """;

  private static final String ALL = LIST.formatted("not materialized", "");
  private static final String WITH_POSITION =
      LIST.formatted(
          "materialized",
          """
          and changed is null and tried_up_to >= $5 and tried_up_to < $5 + %d and after_position < $5 and last_position >= $5
          union all
          select * from pages where endpoint_id = $1 and changed @> array[$6::uuid]\
          """
              .formatted(PageLog.SPAN_MAX));

  /** The log has it in each day in which it was tried. */
  private static final String ONE =
      """
      select p.*, a.outcome, a.status, a.detail, a.answer,
        bool_or(p.state = 'delivered') over () as is_delivered
      from pages p join endpoints e on e.id = p.endpoint_id
      left join lateral (
        select outcome, status, detail, answer from attempts where delivery_id = p.id and day = p.day
        order by attempt desc limit 1) a on true
      where p.id = $1 and e.workspace_id = $2
      order by p.day desc limit 1
      """;

  private final Pool pool;

  public SentPages(Pool pool) {
    this.pool = pool;
  }

  /** The next {@code max} before a place; only those with the capture, unless that is null. */
  public List<SentPage> list(
      UUID workspaceId, UUID endpointId, @Nullable UUID captureId, CreationPlace before, int max) {
    RowSet<Row> rows =
        captureId == null
            ? Rows.of(pool, ALL, endpointId, before.createdAt(), before.id(), max)
            : Rows.of(
                pool,
                WITH_POSITION,
                endpointId,
                before.createdAt(),
                before.id(),
                max,
                OwedDeliveries.position(pool, workspaceId, captureId),
                captureId);
    return Rows.list(rows, SentPages::page);
  }

  public Optional<PageOf> one(UUID workspaceId, UUID id) {
    return Rows.one(
        Rows.of(pool, ONE, id, workspaceId),
        row -> new PageOf(row.getUUID("endpoint_id"), page(row)));
  }

  private static SentPage page(Row row) {
    String outcome = row.getString("outcome");
    Buffer answer = row.getBuffer("answer");
    boolean delivered = row.getBoolean("is_delivered");
    return new SentPage(
        row.getUUID("id"),
        row.getArrayOfUUIDs("changed") == null ? Event.CAPTURES_PAGE : Event.CHANGES_PAGE,
        row.getLong("after_position"),
        row.getLong("last_position"),
        row.getInteger("documents"),
        delivered ? DeliveryState.DELIVERED : DeliveryState.of(row.getString("state")),
        row.getInteger("attempts"),
        delivered ? null : Rows.optionalInstant(row, "next_attempt_at"),
        Rows.instant(row, "owed_at"),
        Rows.instant(row, "updated_at"),
        row.getString("last_outcome"),
        row.getInteger("status"),
        outcome == null
            ? null
            : new LastAttempt(outcome, row.getInteger("status"), row.getString("detail")).failure(),
        answer == null ? null : AnswerText.of(answer.getBytes()).orElse(null));
  }
}
