package io.egress.api.portal.access;

import io.egress.platform.audit.Act;
import io.egress.platform.database.Rows;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores links and sessions in the database, so that every api process accepts them, also after a
 * restart.
 */
final class PortalStore {
  /** What a session's token is derived for. */
  private static final String CSRF = "csrf";

  private static final String ADD_LINK =
      """
      insert into portal_links (hash, workspace_id, role, actor, expires_at)
      values ($1, $2, $3, $4, now() + interval '5 minutes')
      returning expires_at
      """;

  /**
   * If a link is used by two requests at the same time, the second finds the row marked as used.
   */
  private static final String OPEN =
      """
      with opened as (
        update portal_links set used_at = now()
        where hash = $1 and used_at is null and expires_at > now()
          and (workspace_id is null
            or exists (select from workspaces w where w.id = workspace_id and w.ended_at is null))
        returning workspace_id, role, actor)
      insert into portal_sessions (hash, workspace_id, role, actor, remote_address, expires_at)
      select $2, workspace_id, role, actor, $3, now() + interval '8 hours' from opened
      returning workspace_id, role, actor
      """;

  /** Eight hours after it was opened at the latest, and an hour after its last use. */
  static final String SESSION_IS_OPEN =
      "expires_at > now() and used_at > now() - interval '1 hour'";

  /** Sessions of operators have no workspace. The last use is written at most once a minute. */
  private static final String FIND =
      """
      with session as (
        select hash, role, actor, used_at from portal_sessions
        where hash = $1 and workspace_id is not distinct from $2
          and %s),
      used as (
        update portal_sessions set used_at = now()
        where $3 and hash in (select hash from session where used_at < now() - interval '1 minute'))
      select role, actor, (select name from workspaces where id = $2) as workspace_name from session
      """
          .formatted(SESSION_IS_OPEN);

  private static final String WORKSPACE =
      """
      select name, ended_at, emptied_at,
        exists (select from portal_visits where session = $1 and workspace_id = $2) as is_visited
      from workspaces where id = $2
      """;

  private static final String VISIT =
      """
      insert into portal_visits (session, workspace_id)
      select hash, $2::uuid from portal_sessions where hash = $1 for key share
      on conflict do nothing
      """;

  private static final String END = "delete from portal_sessions where hash = $1";

  private static final String FORGET_LINKS =
      """
      delete from portal_links where hash in (
        select hash from portal_links where expires_at < now() - interval '1 day'
        order by expires_at limit 100 for update skip locked)
      """;
  private static final String FORGET_SESSIONS =
      """
      delete from portal_sessions where hash in (
        select hash from portal_sessions where expires_at < now()
        order by expires_at limit 100 for update skip locked)
      """;

  /**
   * The permissions that a link grants.
   *
   * @param workspaceId null for an operator's, which reaches all of them
   */
  record Grant(@Nullable UUID workspaceId, PortalRole role, @Nullable String actor) {
    Act created() {
      return act("portal_link.created", "portal_link");
    }

    Act opened() {
      return act("portal_session.opened", "portal_session");
    }

    private Act act(String action, String kind) {
      return new Act(
          action, kind, null, new JsonObject().put("role", role.word()).put("actor", actor));
    }
  }

  /** A workspace that an operator's session asks for. */
  record Workspace(@Nullable String name, @Nullable Ended end, boolean isVisited) {}

  private final Pool pool;

  PortalStore(Pool pool) {
    this.pool = pool;
  }

  /** Returns when the link expires. The workspace, if it has one, must exist. */
  static Instant addLink(SqlClient client, PortalToken token, Grant grant) {
    return Rows.instant(
        Rows.of(
                client,
                ADD_LINK,
                token.hash(),
                grant.workspaceId(),
                grant.role().word(),
                grant.actor())
            .iterator()
            .next(),
        "expires_at");
  }

  /**
   * Uses up the link and begins {@code session}. Returns what the session may do, or empty if the
   * link is unknown, used or expired.
   */
  static Optional<Grant> open(
      SqlClient client, PortalToken link, PortalToken session, @Nullable String remoteAddress) {
    return Rows.one(
        Rows.of(client, OPEN, link.hash(), session.hash(), remoteAddress), PortalStore::grant);
  }

  /**
   * Empty if the workspace has no such open session. {@code isUse} keeps the session from being
   * closed as idle.
   */
  Optional<PortalSession> find(UUID workspaceId, PortalToken token, boolean isUse) {
    return Rows.one(
        Rows.of(pool, FIND, token.hash(), workspaceId, isUse),
        row ->
            new PortalSession(
                workspaceId,
                row.getString("workspace_name"),
                null,
                PortalRole.find(row.getString("role")).orElseThrow(),
                row.getString("actor"),
                token.derived(CSRF)));
  }

  /** Like {@link #find}, for a session of an operator. */
  Optional<OperatorSession> findOperator(PortalToken token, boolean isUse) {
    return Rows.one(
        Rows.of(pool, FIND, token.hash(), null, isUse),
        row -> new OperatorSession(row.getString("actor"), token.derived(CSRF)));
  }

  /** Empty if there is no such workspace. */
  Optional<Workspace> workspace(PortalToken token, UUID workspaceId) {
    return Rows.one(
        Rows.of(pool, WORKSPACE, token.hash(), workspaceId),
        row ->
            new Workspace(
                row.getString("name"),
                Ended.of(
                    Rows.optionalInstant(row, "ended_at"), Rows.optionalInstant(row, "emptied_at")),
                row.getBoolean("is_visited")));
  }

  /** Returns whether the session enters the workspace for the first time. */
  static boolean visit(SqlClient client, PortalToken token, UUID workspaceId) {
    return Rows.of(client, VISIT, token.hash(), workspaceId).rowCount() == 1;
  }

  void end(PortalToken token) {
    Rows.of(pool, END, token.hash());
  }

  /** Begins to delete a bounded number of expired rows; a failure is of no consequence. */
  void forget() {
    var _ = pool.query(FORGET_LINKS).execute().compose(_ -> pool.query(FORGET_SESSIONS).execute());
  }

  private static Grant grant(Row row) {
    return new Grant(
        row.getUUID("workspace_id"),
        PortalRole.find(row.getString("role")).orElseThrow(),
        row.getString("actor"));
  }
}
