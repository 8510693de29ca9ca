package io.egress.api.hook;

import io.egress.api.relay.OwedRecord;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Appends finished captures to the streams of their workspaces.
 *
 * <p>The cursor's guarantee rests on this class: positions of a workspace are assigned in a
 * transaction that holds the lock of the workspace's row, which is released only after they have
 * become visible. They therefore become visible in order, and a reader that has seen position n has
 * seen everything below it.
 */
final class StreamEntry {
  private static final String ENTER = "select * from enter_stream($1, $2, $3)";

  private static final String ANNOUNCE =
      """
      select pg_notify('egress_stream', e.workspace_id || ' ' || max(e.position))
      from unnest($1::uuid[], $2::bigint[]) as e(workspace_id, position) group by e.workspace_id
      """;

  private StreamEntry() {}

  /**
   * Must be among the last statements of the transaction: until it ends, no other capture enters
   * these streams.
   */
  static Future<List<OwedRecord>> enter(SqlClient tx, List<IncomingCapture> captures) {
    if (captures.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    return tx.preparedQuery(ENTER)
        .execute(
            Tuple.of(
                captures.stream().map(each -> each.capture().id()).toArray(UUID[]::new),
                captures.stream().map(each -> each.capture().workspaceId()).toArray(UUID[]::new),
                captures.stream().map(IncomingCapture::traceparent).toArray(String[]::new)))
        .map(rows -> {
          List<OwedRecord> entered = new ArrayList<>(rows.size());
          rows.forEach(row -> entered.add(OwedRecord.of(row)));
          return entered;
        });
  }

  /**
   * Notifies pulls that wait, in whatever process. Not part of the transaction: PostgreSQL commits
   * those that notify one at a time.
   */
  static Future<?> announce(SqlClient client, List<OwedRecord> entered) {
    return client
        .preparedQuery(ANNOUNCE)
        .execute(
            Tuple.tuple()
                .addArrayOfUUID(
                    entered.stream().map(each -> each.capture().workspaceId()).toArray(UUID[]::new))
                .addArrayOfLong(
                    entered.stream().map(each -> each.capture().position()).toArray(Long[]::new)));
  }
}
