package io.egress.api.portal.access;

import io.egress.api.admin.workspaces.Workspaces;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.intake.QueryValues;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Who is on the pages of a workspace, or on those of operators. Ends sessions and links. */
public final class PortalSessions {
  /** An open session. */
  private record SessionView(
      String role,
      @Nullable String actor,
      @Nullable String remoteAddress,
      Instant createdAt,
      Instant lastUsedAt,
      Instant expiresAt) {
    private static SessionView of(Row row) {
      return new SessionView(
          row.getString("role"),
          row.getString("actor"),
          row.getString("remote_address"),
          Rows.instant(row, "created_at"),
          Rows.instant(row, "used_at"),
          Rows.instant(row, "expires_at"));
    }
  }

  private record Ended(int sessions, int links) {}

  private static final int LISTED_MAX = 1_000;

  private static final String LIST =
      """
      select role, actor, remote_address, created_at, used_at, expires_at from portal_sessions
      where workspace_id is not distinct from $1 and %s order by created_at desc, hash limit %d
      """
          .formatted(PortalStore.SESSION_IS_OPEN, LISTED_MAX);

  private static final String OF_ACTOR =
      "workspace_id is not distinct from $1 and ($2::text is null or actor = $2)";

  /** First the links, because a link that is being opened becomes a session. */
  private static final String END_LINKS =
      "delete from portal_links where used_at is null and " + OF_ACTOR;

  private static final String END_SESSIONS = "delete from portal_sessions where " + OF_ACTOR;

  private final Pool pool;
  private final Transactions transactions;

  public PortalSessions(Pool pool) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
  }

  public Answer list(Call call) {
    UUID workspaceId = call.workspaceId();
    Workspaces.require(pool, workspaceId);
    return listed(workspaceId);
  }

  public Answer listOfOperators(Call call) {
    return listed(null);
  }

  private Answer listed(@Nullable UUID workspaceId) {
    return Answer.ok(
        Map.of("portal_sessions", Rows.list(Rows.of(pool, LIST, workspaceId), SessionView::of)));
  }

  public Answer end(Call call) {
    UUID workspaceId = call.workspaceId();
    Workspaces.require(pool, workspaceId);
    return end(call, workspaceId);
  }

  public Answer endOfOperators(Call call) {
    return end(call, null);
  }

  private Answer end(Call call, @Nullable UUID workspaceId) {
    Caller caller = call.caller();
    String actor = QueryValues.one(call.query(), "actor", Optional::of, "must be given once");
    return Answer.ok(transactions.call(tx -> end(tx, caller, workspaceId, actor)));
  }

  private static Ended end(
      SqlConnection tx, Caller caller, @Nullable UUID workspaceId, @Nullable String actor) {
    int links = Rows.of(tx, END_LINKS, workspaceId, actor).rowCount();
    Ended ended = new Ended(Rows.of(tx, END_SESSIONS, workspaceId, actor).rowCount(), links);
    JsonObject changes =
        new JsonObject()
            .put("actor", actor)
            .put("sessions", ended.sessions())
            .put("links", ended.links());
    AuditLog.record(
        tx, workspaceId, caller, new Act("portal_sessions.ended", "portal_session", null, changes));
    return ended;
  }
}
