package io.egress.dispatcher.reconcile;

import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.endpoint.DeliveryId;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds first deliveries that are owed and missing from the delivery log, page by page. */
final class MissingDeliveries {
  private static final int POSITIONS_MAX = 1_000;

  /** A null time bound does not limit: the function is strict. */
  private static final String OWED =
      """
      select position, capture_id, entered_at from stream
      where workspace_id = $1
        and position > greatest($2::bigint, stream_position_before($1, now() - $3::bigint * interval '1 ms'))
        and position <= least($4::bigint, stream_position_before($1, now() - $5::bigint * interval '1 ms'))
      order by position limit %d
      """
          .formatted(POSITIONS_MAX);

  private static final String MISSING =
      """
      select k.n from unnest($1::uuid[], $2::date[]) with ordinality as k(id, day, n)
        left join lateral (select true as known from deliveries where id = k.id and day = k.day limit 1) d on true
      where d.known is null
      order by k.n
      """;

  /**
   * The captures owed to an endpoint.
   *
   * @param upTo the last position
   * @param historySince when the history was requested; null for live captures
   * @param oldest live captures that entered the stream earlier are left out
   * @param newest live captures that entered the stream later are left out
   */
  record Scope(
      UUID endpointId,
      UUID workspaceId,
      long upTo,
      @Nullable Instant historySince,
      @Nullable Duration oldest,
      @Nullable Duration newest) {

    static Scope live(UUID endpointId, UUID workspaceId, Duration oldest, Duration newest) {
      return new Scope(endpointId, workspaceId, Long.MAX_VALUE, null, oldest, newest);
    }

    static Scope history(UUID endpointId, UUID workspaceId, long upTo, Instant createdAt) {
      return new Scope(endpointId, workspaceId, upTo, createdAt, null, null);
    }

    private Delivery delivery(Row row) {
      UUID captureId = row.getUUID("capture_id");
      return Delivery.first(
          DeliveryId.of(endpointId, captureId),
          endpointId,
          captureId,
          row.getLong("position"),
          historySince == null ? Delivery.Origin.LIVE : Delivery.Origin.BACKFILL,
          historySince == null ? Rows.instant(row, "entered_at") : historySince);
    }
  }

  /**
   * A page of the comparison.
   *
   * @param missing sorted by position
   * @param reached the last position compared
   * @param isLast whether nothing follows
   */
  record Page(List<Delivery> missing, long reached, boolean isLast) {}

  private MissingDeliveries() {}

  static Page above(SqlClient client, Scope scope, long position) {
    List<Delivery> owed =
        Rows.list(
            Rows.of(
                client,
                OWED,
                scope.workspaceId(),
                position,
                scope.oldest(),
                scope.upTo(),
                scope.newest()),
            scope::delivery);
    return owed.isEmpty()
        ? new Page(owed, position, true)
        : new Page(missing(client, owed), owed.getLast().position(), owed.size() < POSITIONS_MAX);
  }

  private static List<Delivery> missing(SqlClient client, List<Delivery> owed) {
    UUID[] ids = owed.stream().map(Delivery::id).toArray(UUID[]::new);
    LocalDate[] days =
        owed.stream()
            .map(each -> LocalDate.ofInstant(each.owedAt(), ZoneOffset.UTC))
            .toArray(LocalDate[]::new);
    return Rows.list(
        Rows.of(client, MISSING, ids, days), row -> owed.get(row.getLong(0).intValue() - 1));
  }
}
