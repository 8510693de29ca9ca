package io.egress.api.admin.workspaces;

import io.egress.platform.database.Rows;
import io.egress.platform.http.Refusal;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.util.UUID;

/**
 * How many of the things that anybody in a workspace can create it may have. What a workspace had
 * before it stays.
 */
public enum Room {
  ENDPOINTS(
      "endpoints",
      "max_endpoints",
      "select from endpoints where workspace_id = $1 and deleted_at is null",
      "delete some, or ask the operator for more"),
  KEYS(
      "API keys",
      "max_keys",
      "select from api_keys where workspace_id = $1",
      "delete some, or ask the operator for more"),
  LINKS(
      "open links",
      "null::integer",
      "select from portal_links where workspace_id = $1 and used_at is null and expires_at > now()",
      "each expires within five minutes, and DELETE .../portal-sessions ends them");

  /** Of a workspace for which nobody said otherwise. */
  static final int STANDARD = 100;

  /** Until the transaction ends, nothing else is created in the workspace. */
  private static final String LOCK =
      "select pg_advisory_xact_lock(hashtextextended('room ' || $1::uuid, 0))";

  private final String things;
  private final String query;
  private final String advice;

  Room(String things, String allowed, String present, String advice) {
    this.things = things;
    this.advice = advice;
    this.query =
        "select coalesce(%s, %d) as allowed, (select count(*) from (%s) as present) as present from workspaces where id = $1"
            .formatted(allowed, STANDARD, present);
  }

  /** Refuses another one if there is no room. To be called in the transaction that creates it. */
  public void require(SqlConnection tx, UUID workspaceId) {
    Rows.of(tx, LOCK, workspaceId);
    Row room = Rows.of(tx, query, workspaceId).iterator().next();
    int allowed = room.getInteger("allowed");
    if (room.getLong("present") >= allowed) {
      throw new Refusal(
          409,
          "the workspace has %d %s and may have %d: %s"
              .formatted(room.getLong("present"), things, allowed, advice));
    }
  }
}
