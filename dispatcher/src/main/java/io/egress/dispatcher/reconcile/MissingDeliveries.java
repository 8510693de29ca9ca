package io.egress.dispatcher.reconcile;

import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.DeliveryId;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
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
          historySince == null ? row.getOffsetDateTime("entered_at").toInstant() : historySince);
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

  static Future<Page> above(SqlClient client, Scope scope, long position) {
    return client
        .preparedQuery(OWED)
        .execute(
            Tuple.of(
                scope.workspaceId(),
                position,
                millis(scope.oldest()),
                scope.upTo(),
                millis(scope.newest())))
        .compose(rows -> {
          List<Delivery> owed = owed(scope, rows);
          if (owed.isEmpty()) {
            return Future.succeededFuture(new Page(owed, position, true));
          }
          long reached = owed.get(owed.size() - 1).position();
          return missing(client, owed)
              .map(missing -> new Page(missing, reached, owed.size() < POSITIONS_MAX));
        });
  }

  private static List<Delivery> owed(Scope scope, RowSet<Row> rows) {
    List<Delivery> owed = new ArrayList<>(rows.size());
    rows.forEach(row -> owed.add(scope.delivery(row)));
    return owed;
  }

  private static Future<List<Delivery>> missing(SqlClient client, List<Delivery> owed) {
    return client
        .preparedQuery(MISSING)
        .execute(
            Tuple.tuple()
                .addArrayOfUUID(owed.stream().map(Delivery::id).toArray(UUID[]::new))
                .addArrayOfLocalDate(
                    owed.stream()
                        .map(each -> LocalDate.ofInstant(each.owedAt(), ZoneOffset.UTC))
                        .toArray(LocalDate[]::new)))
        .map(rows -> {
          List<Delivery> missing = new ArrayList<>(rows.size());
          rows.forEach(row -> missing.add(owed.get(row.getLong(0).intValue() - 1)));
          return missing;
        });
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis();
  }
}
