package io.egress.dispatcher.reconcile;

import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pending deliveries of the log as records of their next attempt, in the order in which
 * they are due: those with failed attempts, and those published by a replay, which are due at once.
 */
final class PendingDeliveries {
  static final int ROWS_MAX = 1_000;

  private static final String DUE = "coalesce(next_attempt_at, updated_at)";

  private static final String PAGE =
      """
      select id, endpoint_id, capture_id, position, replay_id, origin, owed_at, attempts, %1$s as due_at
      from deliveries
      where state = 'pending' and (%1$s, id) > ($1, $2) and %1$s <= now() - $3::bigint * interval '1 ms'
        and ($4::timestamptz is null or updated_at < $4)
      order by %1$s, id limit %2$d
      """
          .formatted(DUE, ROWS_MAX);

  private static final String NEXT_DUE =
      """
      select %1$s as due_at from deliveries
      where state = 'pending' and (%1$s, id) > ($1, $2) and updated_at < $3
      order by %1$s, id limit 1
      """
          .formatted(DUE);

  /** A place in the order. */
  record Place(OffsetDateTime dueAt, UUID id) {

    /** Of a row with {@code due_up_to} and {@code id_up_to}. */
    static Place of(Row row) {
      return new Place(row.getOffsetDateTime("due_up_to"), row.getUUID("id_up_to"));
    }
  }

  /**
   * Deliveries in their order.
   *
   * @param reached the place of the last one
   * @param isLast whether nothing follows for now
   */
  record Page(List<Delivery> deliveries, Place reached, boolean isLast) {}

  private PendingDeliveries() {}

  /**
   * Deliveries that have been due for some time.
   *
   * @param writtenBefore leaves out those whose row was written later, if it is not null
   */
  static Page after(
      SqlClient client, Place place, Duration overdue, @Nullable OffsetDateTime writtenBefore) {
    List<Delivery> deliveries = new ArrayList<>();
    Place reached = place;
    for (Row row : Rows.of(client, PAGE, place.dueAt(), place.id(), overdue, writtenBefore)) {
      deliveries.add(delivery(row));
      reached = new Place(row.getOffsetDateTime("due_at"), row.getUUID("id"));
    }
    return new Page(deliveries, reached, deliveries.size() < ROWS_MAX);
  }

  /** When the next one is due; null if there is none. */
  static @Nullable OffsetDateTime nextDue(
      SqlClient client, Place place, OffsetDateTime writtenBefore) {
    return Rows.one(
            Rows.of(client, NEXT_DUE, place.dueAt(), place.id(), writtenBefore),
            row -> row.getOffsetDateTime("due_at"))
        .orElse(null);
  }

  private static Delivery delivery(Row row) {
    return new Delivery(
        row.getUUID("id"),
        row.getUUID("endpoint_id"),
        row.getUUID("capture_id"),
        row.getLong("position"),
        row.getUUID("replay_id"),
        Origin.of(row.getString("origin")),
        Rows.instant(row, "owed_at"),
        row.getInteger("attempts") + 1,
        Rows.instant(row, "due_at"),
        null,
        null);
  }
}
