package io.egress.api.admin.workspace;

import io.egress.platform.database.Rows;
import io.egress.platform.http.Refusal;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import java.util.UUID;

/** Creates workspaces; they exist as soon as a call names them. */
public final class Workspaces {
  private static final String NAME =
      """
      with named as (insert into workspaces (id) values ($1) on conflict do nothing)
      select exists (select from workspaces where id = $1 and ended_at is not null) as has_ended
      """;
  private static final String HOLD =
      "select ended_at is not null as has_ended from workspaces where id = $1 for key share";

  private Workspaces() {}

  /**
   * Refuses one that has ended. May wait for a capture being written, so it must not be called in a
   * transaction that holds the stream's lock.
   */
  public static void name(SqlClient client, UUID workspaceId) {
    refuseEnded(client, NAME, workspaceId);
  }

  /**
   * Refuses one that has ended, and keeps it from ending before the transaction does. The workspace
   * must exist.
   */
  public static void requireOpen(SqlConnection tx, UUID workspaceId) {
    refuseEnded(tx, HOLD, workspaceId);
  }

  private static void refuseEnded(SqlClient client, String query, UUID workspaceId) {
    if (Rows.of(client, query, workspaceId).iterator().next().getBoolean("has_ended")) {
      throw ended();
    }
  }

  public static Refusal onLegalHold() {
    return new Refusal(409, "the workspace is on legal hold: nothing of it is erased");
  }

  public static Refusal ended() {
    return new Refusal(410, "the workspace has ended");
  }
}
