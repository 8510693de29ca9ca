package io.egress.dispatcher.pause;

import static io.egress.dispatcher.notice.OperatorNotices.Event.ENDPOINT_EXHAUSTED;
import static io.egress.dispatcher.notice.OperatorNotices.Event.ENDPOINT_FAILING;
import static io.egress.dispatcher.notice.OperatorNotices.Event.ENDPOINT_PAUSED;
import static io.egress.dispatcher.notice.OperatorNotices.Event.ENDPOINT_RECOVERED;

import io.egress.dispatcher.notice.OperatorNotices;
import io.egress.dispatcher.pause.SeriesMemory.Step;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.json.UtcInstant;
import io.egress.platform.outage.Outage;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.send.Outcome;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows endpoints of which every attempt fails: records since when, notifies the operator when
 * that has lasted for a while and when it ends, and pauses them after a configured time. The start
 * of the failures is stored in the endpoint's row, so it survives restarts and moves between
 * workers; it is written only when an endpoint starts or stops failing. Shared by all workers of
 * the process.
 */
public final class FailingEndpoints {
  private static final Logger log = LoggerFactory.getLogger(FailingEndpoints.class);

  /** Long enough for one retry and a restart of the receiver. */
  private static final Duration ANNOUNCED_AFTER = Duration.ofMinutes(5);

  private static final String BEGIN =
      """
      update endpoints set failing_since = $2
      where id = $1 and failing_since is null and not paused and deleted_at is null
      """;
  private static final String END =
      """
      update endpoints e set failing_since = null
      from (select id, failing_since, failing_announced from endpoints where id = $1 for no key update) before
      where e.id = before.id and before.failing_since is not null
      returning before.failing_since,
        before.failing_announced = before.failing_since and not e.paused and e.deleted_at is null as is_told
      """;
  private static final String ANNOUNCE =
      """
      update endpoints set failing_announced = failing_since
      where id = $1 and failing_since = $2 and failing_announced is distinct from failing_since
        and not paused and deleted_at is null
      returning id
      """;

  /** Once in a long series of failures; for an endpoint that fails now and then, once a day. */
  private static final String EXHAUST =
      """
      update endpoints set exhausted_announced_at = now()
      where id = $1 and deleted_at is null and (
        exhausted_announced_at is null or exhausted_announced_at < least(failing_since, now() - interval '1 day'))
      returning id
      """;

  /** Resuming an endpoint sets failing_since to null. */
  private static final String PAUSE =
      """
      update endpoints set paused = true, paused_at = now(), paused_reason = 'failing', updated_at = now()
      where id = $1 and failing_since = $2 and not paused and deleted_at is null
      returning workspace_id, failing_since, paused_at
      """;

  private final Transactions transactions;
  private final Clock clock;
  private final @Nullable Duration pauseAfter;
  private final Counter paused;
  private final OperatorNotices notices;
  private final SeriesMemory memory = new SeriesMemory();
  private final Outage writing =
      new Outage(
          log,
          "Cannot record that an endpoint fails; retrying with its next attempt",
          "Failing endpoints are recorded again");

  /** Without {@code pauseAfter} no endpoint is paused. */
  public FailingEndpoints(
      Pool pool,
      Clock clock,
      @Nullable Duration pauseAfter,
      Counter paused,
      OperatorNotices notices) {
    this.transactions = new Transactions(pool);
    this.clock = clock;
    this.pauseAfter = pauseAfter;
    this.paused = paused;
    this.notices = notices;
  }

  /** {@code target} is what the attempt was prepared with. */
  public void delivered(EndpointTarget target) {
    UUID id = target.id();
    boolean isRecorded = memory.end(id);
    if (target.failingSince() != null || isRecorded) {
      change(
          id,
          END,
          Tuple.of(id),
          (tx, ended) ->
              Boolean.TRUE.equals(ended.getBoolean("is_told"))
                  ? notices.addAbout(tx, ENDPOINT_RECOVERED, id, recovered(ended))
                  : Future.succeededFuture());
    }
  }

  /** {@code target} is what the attempt was prepared with. */
  public void failed(EndpointTarget target, Instant startedAt, Outcome.Failed failed) {
    UUID id = target.id();
    Instant now = clock.instant();
    Instant since = target.failingSince();
    if (since == null) {
      memory.failed(id, startedAt, now).ifPresent(start -> begin(id, start));
      return;
    }
    if (notices.areWanted()
        && isOver(since, ANNOUNCED_AFTER, now)
        && memory.may(id, Step.ANNOUNCE, now)) {
      announce(id, since, answer(startedAt, failed));
    }
    if (pauseAfter != null && isOver(since, pauseAfter, now) && memory.may(id, Step.PAUSE, now)) {
      pause(id, since, answer(startedAt, failed));
    }
  }

  /** The attempt was the last one of a delivery, and is recorded. */
  public void exhausted(EndpointTarget target, Instant startedAt, Outcome.Failed failed) {
    UUID id = target.id();
    if (notices.areWanted() && memory.may(id, Step.TELL_OF_EXHAUSTION, clock.instant())) {
      JsonObject answer = answer(startedAt, failed);
      change(
              id,
              EXHAUST,
              Tuple.of(id),
              (tx, _) -> notices.addAbout(tx, ENDPOINT_EXHAUSTED, id, answer))
          .onFailure(_ -> memory.undo(id, Step.TELL_OF_EXHAUSTION));
    }
  }

  private void begin(UUID id, Instant start) {
    change(id, BEGIN, Tuple.of(id, utc(start)), (_, _) -> Future.succeededFuture())
        .onFailure(_ -> memory.undo(id, Step.RECORD));
  }

  private void announce(UUID id, Instant since, JsonObject answer) {
    change(
            id,
            ANNOUNCE,
            Tuple.of(id, utc(since)),
            (tx, _) -> notices.addAbout(tx, ENDPOINT_FAILING, id, answer))
        .onFailure(_ -> memory.undo(id, Step.ANNOUNCE));
  }

  private void pause(UUID id, Instant since, JsonObject answer) {
    change(
            id,
            PAUSE,
            Tuple.of(id, utc(since)),
            (tx, endpoint) -> recordPause(tx, id, endpoint, answer))
        .onSuccess(endpoint -> logPaused(id, endpoint))
        .onFailure(_ -> memory.undo(id, Step.PAUSE));
  }

  private Future<Void> recordPause(SqlConnection tx, UUID id, Row endpoint, JsonObject answer) {
    JsonObject changes =
        new JsonObject()
            .put("reason", "failing")
            .put("failing_since", time(endpoint, "failing_since"));
    Act act = new Act("endpoint.paused", "endpoint", id, changes);
    return AuditLog.write(tx, endpoint.getUUID("workspace_id"), Caller.SYSTEM, act)
        .compose(_ ->
            notices.addAbout(
                tx,
                ENDPOINT_PAUSED,
                id,
                answer.put("reason", "failing").put("paused_at", time(endpoint, "paused_at"))));
  }

  private void logPaused(UUID id, @Nullable Row row) {
    if (row != null) {
      memory.end(id);
      paused.increment();
      log.atWarn()
          .addKeyValue("endpoint_id", id)
          .addKeyValue("workspace_id", row.getUUID("workspace_id"))
          .addKeyValue("failing_since", time(row, "failing_since"))
          .log("Endpoint paused: every attempt failed for EGRESS_PAUSE_FAILING_AFTER");
    }
  }

  /** The endpoint's row, if the statement changed it; then {@code also} is done with it. */
  private Future<@Nullable Row> change(
      UUID id, String statement, Tuple values, BiFunction<SqlConnection, Row, Future<Void>> also) {
    return transactions
        .<@Nullable Row>run(tx ->
            tx.preparedQuery(statement)
                .execute(values)
                .compose(rows -> {
                  RowIterator<Row> changed = rows.iterator();
                  if (!changed.hasNext()) {
                    return Future.succeededFuture();
                  }
                  Row endpoint = changed.next();
                  return also.apply(tx, endpoint).map(endpoint);
                }))
        .onSuccess(_ -> writing.worked())
        .onFailure(failure -> writing.failed(failure, Map.of("endpoint_id", id)));
  }

  private JsonObject recovered(Row ended) {
    return new JsonObject()
        .put("failing_since", time(ended, "failing_since"))
        .put("recovered_at", UtcInstant.format(clock.instant()));
  }

  private static JsonObject answer(Instant startedAt, Outcome.Failed failed) {
    return new JsonObject()
        .put(
            "last_answer",
            new JsonObject()
                .put("at", UtcInstant.format(startedAt))
                .put("outcome", failed.kind().word())
                .put("status", failed.status())
                .put("detail", failed.detail()));
  }

  private static boolean isOver(Instant since, Duration duration, Instant now) {
    return !since.plus(duration).isAfter(now);
  }

  private static String time(Row row, String column) {
    return UtcInstant.format(row.getOffsetDateTime(column).toInstant());
  }

  private static OffsetDateTime utc(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }
}
