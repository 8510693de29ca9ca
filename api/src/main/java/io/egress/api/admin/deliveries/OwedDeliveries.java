package io.egress.api.admin.deliveries;

import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.EnteredCapture;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries that the stream owes to endpoints. A delivery's id is computed from its endpoint
 * and capture, so it is known before the log has an entry for it.
 */
final class OwedDeliveries {
  private static final String RANGE =
      """
      select coalesce(stream_position_before(id, $2), stream_head) as high,
        coalesce(stream_position_before(id, $3), 0) as low, stream_position_before(id, $4) as since,
        (select min(first_position) from backfills
          where endpoint_id = any($5) and origin <> 'backfill' and created_at >= $4) as replayed_from
      from workspaces where id = $1
      """;

  private static final String POSITION =
      "select position from stream where capture_id = $1 and workspace_id = $2";

  private static final String NEWEST =
      """
      select %s from (
        select * from stream
        where workspace_id = $1 and position > $2 and position <= $3
        order by position desc limit %d) as s
      order by position desc limit $4
      """
          .formatted(EnteredCapture.COLUMNS, DeliverySearch.LOOKED_UP_MAX);

  /**
   * The deliveries owed for some rows of the stream.
   *
   * @param lowest the position of the last row
   * @param isLast whether the scope has no further rows
   * @param isCut whether more is owed for the last row
   * @param unwanted how often a filter left a row out
   */
  record Window(
      List<LoggedDelivery> owed, long lowest, boolean isLast, boolean isCut, int unwanted) {}

  /**
   * The part of the rows that is wanted.
   *
   * @param after only what comes after this position, unless it is null
   * @param max the window ends there, even within a row
   */
  record Part(@Nullable DeliveryCursor after, int max) {
    static final Part WHOLE = new Part(null, Integer.MAX_VALUE);

    /** Whether everything owed to the endpoint for the row comes before the part. */
    private boolean skips(long position, UUID endpointId) {
      return after != null
          && position == after.position()
          && DeliveryCursor.compare(endpointId, after.endpointId()) < 0;
    }

    private boolean contains(LoggedDelivery delivery) {
      return after == null || DeliveryCursor.of(delivery).compareTo(after) > 0;
    }
  }

  private final Pool pool;
  private final LoggedDeliveries log;

  OwedDeliveries(Pool pool, LoggedDeliveries log) {
    this.pool = pool;
    this.log = log;
  }

  /** The part of the stream that a query is about. */
  OwedScope scope(UUID workspaceId, List<Endpoint> endpoints, DeliveryFilter filter) {
    Instant since = log.since();
    UUID[] ids = endpoints.stream().map(Endpoint::id).toArray(UUID[]::new);
    OwedScope scope =
        Rows.one(
                Rows.of(pool, RANGE, workspaceId, filter.to(), filter.from(), since, ids),
                row -> scope(workspaceId, endpoints, filter, row, since))
            .orElseGet(() -> new OwedScope(workspaceId, List.of(), 0, 0));
    UUID captureId = filter.captureId();
    return captureId == null ? scope : limit(scope, captureId);
  }

  private static OwedScope scope(
      UUID workspaceId, List<Endpoint> endpoints, DeliveryFilter filter, Row row, Instant since) {
    List<OwedScope.Owing> owing =
        endpoints.stream()
            .map(endpoint -> OwedScope.Owing.of(endpoint.owed(), since, row.getLong("since")))
            .sorted(Comparator.comparing(OwedScope.Owing::endpointId, DeliveryCursor::compare))
            .toList();
    Long replayedFrom = row.getLong("replayed_from");
    long lowest =
        Math.min(
            owing.stream().mapToLong(OwedScope.Owing::low).min().orElse(Long.MAX_VALUE),
            replayedFrom == null ? Long.MAX_VALUE : replayedFrom - 1);
    DeliveryCursor after = filter.after();
    long high = row.getLong("high");
    return new OwedScope(
        workspaceId,
        owing,
        Math.max(lowest, row.getLong("low")),
        after == null ? high : Math.min(high, after.position()));
  }

  /** That of a capture in the stream of a workspace; 0, which none has, if it is not in it. */
  static long position(Pool pool, UUID workspaceId, UUID captureId) {
    return Rows.one(Rows.of(pool, POSITION, captureId, workspaceId), row -> row.getLong("position"))
        .orElse(0L);
  }

  private OwedScope limit(OwedScope scope, UUID captureId) {
    long position = position(pool, scope.workspaceId(), captureId);
    return new OwedScope(
        scope.workspaceId(),
        scope.endpoints(),
        Math.max(scope.low(), position - 1),
        Math.min(scope.high(), position));
  }

  /** For the newest {@code rows} rows of the scope. */
  Window newest(OwedScope scope, int rows) {
    return newest(scope, rows, Part.WHOLE);
  }

  /** Of the newest {@code rows} rows of the scope, in the order of {@link DeliveryCursor}. */
  Window newest(OwedScope scope, int rows, Part part) {
    RowSet<Row> found = Rows.of(pool, NEWEST, scope.workspaceId(), scope.low(), scope.high(), rows);
    return window(scope, found, found.size() < rows, part);
  }

  private static Window window(OwedScope scope, RowSet<Row> rows, boolean isLast, Part part) {
    List<LoggedDelivery> owed = new ArrayList<>();
    long lowest = scope.high();
    int unwanted = 0;
    for (Row row : rows) {
      EnteredCapture capture = EnteredCapture.of(row);
      lowest = capture.position();
      for (OwedScope.Owing endpoint : scope.endpoints()) {
        if (!endpoint.owed().admits(capture)) {
          unwanted++;
        } else if (!part.skips(lowest, endpoint.endpointId())) {
          endpoint.delivery(capture).filter(part::contains).ifPresent(owed::add);
          if (owed.size() >= part.max()) {
            return new Window(owed, lowest, false, true, unwanted);
          }
        }
      }
    }
    return new Window(owed, lowest, isLast, false, unwanted);
  }
}
