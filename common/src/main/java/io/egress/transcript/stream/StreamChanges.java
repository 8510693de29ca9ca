package io.egress.transcript.stream;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.UUID;

/**
 * What has happened to captures after they entered their stream. Every transaction that raises the
 * revision of captures, or erases them, enters that here; readers follow it with a cursor that has
 * the promise of the stream's.
 */
public final class StreamChanges {
  private static final String ENTER = "select enter_changes($1)";

  private static final String ANNOUNCE =
      """
      select pg_notify('egress_changes', h.workspace_id || ' ' || h.number) from change_heads h
      where h.workspace_id in (select workspace_id from changes where capture_id = any($1))
      """;

  private StreamChanges() {}

  /**
   * Until the transaction ends, no other changes the same workspaces' captures, so this should be
   * its last statement. Captures that are not in the stream are left out.
   */
  public static Future<Void> enter(SqlClient tx, Collection<UUID> captureIds) {
    return captureIds.isEmpty() ? Future.succeededFuture() : execute(tx, ENTER, captureIds);
  }

  /**
   * Notifies pulls that wait, in whatever process. Not part of the transaction: PostgreSQL commits
   * those that notify one at a time.
   */
  public static Future<Void> announce(SqlClient client, Collection<UUID> captureIds) {
    return captureIds.isEmpty() ? Future.succeededFuture() : execute(client, ANNOUNCE, captureIds);
  }

  private static Future<Void> execute(
      SqlClient client, String statement, Collection<UUID> captureIds) {
    return client
        .preparedQuery(statement)
        .execute(Tuple.tuple().addArrayOfUUID(captureIds.toArray(UUID[]::new)))
        .mapEmpty();
  }
}
