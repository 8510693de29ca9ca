package io.egress.dispatcher.reconcile;

import static java.util.Objects.requireNonNull;

import io.egress.delivery.Delivery;
import io.egress.delivery.Delivery.Origin;
import io.vertx.core.Future;
import io.vertx.sqlclient.Cursor;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the pending deliveries of the log as records of their next attempt: those with failed
 * attempts, and those published by a replay. They are read in the order in which they are due,
 * through a cursor: the database sorts them once, on its disk if they do not fit into its memory.
 */
final class PendingDeliveries implements AutoCloseable {
  private static final int ROWS_MAX = 1_000;

  /** Sorting and reading take longer than any statement or transaction elsewhere. */
  private static final String TAKE_TIME =
      """
      select set_config(name, '6h', true) from pg_settings
      where name in ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')
      """;

  /** The repeated condition is that of the partial index, which excludes delivered rows. */
  private static final String PENDING =
      """
      select d.id, d.endpoint_id, d.capture_id, d.position, d.replay_id, d.origin, d.owed_at, d.attempts,
        coalesce(d.next_attempt_at, d.owed_at) as due_at
      from deliveries d join endpoints e on e.id = d.endpoint_id
      where d.state = 'pending' and d.state <> 'delivered' and e.deleted_at is null
      order by due_at, d.id
      """;

  private final SqlConnection connection;
  private final Cursor cursor;

  private PendingDeliveries(SqlConnection connection, Cursor cursor) {
    this.connection = requireNonNull(connection, "connection is null");
    this.cursor = requireNonNull(cursor, "cursor is null");
  }

  /** Blocks. */
  static PendingDeliveries open(Pool pool) {
    SqlConnection connection = pool.getConnection().await();
    Future<Cursor> cursor =
        connection
            .begin()
            .compose(begun -> connection.query(TAKE_TIME).execute())
            .compose(unlimited -> connection.prepare(PENDING))
            .map(statement -> statement.cursor());
    try {
      return new PendingDeliveries(connection, cursor.await());
    } finally {
      if (cursor.failed()) {
        connection.close().await();
      }
    }
  }

  /** The next page; empty at the end. Blocks. */
  List<Delivery> next() {
    List<Delivery> next = new ArrayList<>(ROWS_MAX);
    for (Row row : cursor.read(ROWS_MAX).await()) {
      next.add(delivery(row));
    }
    return next;
  }

  /** The pool rolls back the transaction of a connection that is closed. */
  @Override
  public void close() {
    connection.close().await();
  }

  private static Delivery delivery(Row row) {
    OffsetDateTime due = row.getOffsetDateTime("due_at");
    return new Delivery(
        row.getUUID("id"),
        row.getUUID("endpoint_id"),
        row.getUUID("capture_id"),
        row.getLong("position"),
        row.getUUID("replay_id"),
        Origin.of(row.getString("origin")),
        row.getOffsetDateTime("owed_at").toInstant(),
        row.getInteger("attempts") + 1,
        due.toInstant(),
        null);
  }
}
