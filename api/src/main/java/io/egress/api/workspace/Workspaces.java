package io.egress.api.workspace;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;

/** Creates workspaces; they exist as soon as a call names them. */
public final class Workspaces {
  private static final String NAME =
      "insert into workspaces (id) values ($1) on conflict do nothing";

  private Workspaces() {}

  /**
   * May wait for a capture being written, so it must not be called in a transaction that holds the
   * stream's lock.
   */
  public static Future<Void> name(SqlClient client, UUID workspaceId) {
    return client.preparedQuery(NAME).execute(Tuple.of(workspaceId)).mapEmpty();
  }
}
