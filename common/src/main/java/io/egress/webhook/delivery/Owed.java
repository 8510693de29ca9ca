package io.egress.webhook.delivery;

import io.egress.platform.database.Rows;
import io.egress.platform.json.Json;
import io.egress.webhook.delivery.Delivery.Origin;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which captures of its workspace's stream are owed to an endpoint: the live ones, which entered
 * after it was created, and with full history those before, as far as the filter wants them that
 * held when they entered. Everything that sends, lists, counts or looks for owed deliveries decides
 * by this; in SQL, {@code admits} does.
 *
 * @param filters in the order of their positions; empty if the endpoint has always got everything
 */
public record Owed(
    UUID endpointId,
    long createdPosition,
    Instant createdAt,
    boolean fullHistory,
    List<HeldFilter> filters) {
  /**
   * A filter of what enters after a position, until the next one holds.
   *
   * @param filter null if everything is wanted
   */
  public record HeldFilter(long after, @Nullable StreamFilter filter) {}

  /**
   * The creation position of endpoints that are sent the stream itself: beyond every stream, so
   * that they are owed no capture by itself. Earlier releases, which know no pages, send them
   * nothing.
   */
  public static final long NOTHING_BELOW = 1L << 62;

  private static final String NO_FILTERS = "[]";

  /** Of a row with the endpoint's id, and the columns that are named here. */
  public static Owed of(Row row) {
    return new Owed(
        row.getUUID("id"),
        row.getLong("created_position"),
        Rows.instant(row, "created_at"),
        row.getBoolean("full_history"),
        filters(row));
  }

  public static List<HeldFilter> filters(Row row) {
    String filters = row.getString("filters");
    return filters.equals(NO_FILTERS)
        ? List.of()
        : List.of(Json.decode(filters, HeldFilter[].class));
  }

  public Owed {
    filters = List.copyOf(filters);
  }

  public boolean isFiltered() {
    return !filters.isEmpty();
  }

  public boolean isLive(long position) {
    return position > createdPosition;
  }

  /**
   * Whether the filter wants the capture. A filter wants none without traits: after the database
   * was restored, there may be records of captures that it does not have.
   */
  public boolean admits(EnteredCapture capture) {
    StreamFilter filter = filterAt(capture.position());
    Traits traits = capture.traits();
    return filter == null || (traits != null && filter.wants(traits));
  }

  private @Nullable StreamFilter filterAt(long position) {
    for (HeldFilter held : filters.reversed()) {
      if (held.after() < position) {
        return held.filter();
      }
    }
    return null;
  }

  public long firstPosition() {
    return fullHistory ? historyAfter() + 1 : createdPosition + 1;
  }

  /** The position after which what is owed begins; with full history, that of the creation. */
  public long beginsAfter() {
    return historyAfter() > 0 ? historyAfter() : createdPosition;
  }

  /** Of a history that does not begin with the stream; otherwise 0. */
  private long historyAfter() {
    boolean isCut = filters.size() > 1 && StreamFilter.NOTHING.equals(filters.getFirst().filter());
    return isCut ? filters.get(1).after() : 0;
  }

  /** Whether a filter looks at the capture at a position. */
  public boolean isFilteredAt(long position) {
    return filterAt(position) != null;
  }

  /** The number of live captures above one position and up to another, before the filters. */
  public long liveBetween(long above, long upTo) {
    return Math.max(0, upTo - Math.max(above, createdPosition));
  }

  /** The first delivery of an owed capture. History is owed since the endpoint was created. */
  public Delivery first(EnteredCapture capture) {
    boolean live = isLive(capture.position());
    Origin origin = live ? Origin.LIVE : Origin.BACKFILL;
    return Delivery.first(
        DeliveryId.of(endpointId, capture.captureId(), origin.event()),
        endpointId,
        capture.captureId(),
        capture.position(),
        origin,
        live ? capture.enteredAt() : createdAt);
  }
}
