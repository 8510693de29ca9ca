package io.egress.api.admin.erasures;

import io.egress.api.admin.workspace.Workspaces;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.transcript.document.DocumentStore;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Unlinks a member from all captures, which then show the speaker's label, and erases the name and
 * the email. In chunks, each of which is complete: an interrupted erasure is continued by repeating
 * the call. A capture that is put meanwhile may name the member again: then the chunks go on before
 * the member goes.
 */
public final class MemberErasure {
  private static final int CHUNK_MAX = 200;

  private static final String HELD = "select 1 from workspaces where id = $1 and legal_hold";
  private static final String NEXT =
      """
      with named as materialized (
        select id from captures where workspace_id = $1 and members @> array[$2::uuid])
      select id from named limit $3
      """;
  private static final String LOCK =
      "select 1 from captures where id = any($1) order by id for no key update";
  private static final String UNLINK =
      """
      update captures set members = array_replace(members, $2, null), revision = revision + 1,
        updated_at = now()
      where id = any($1)
      """;

  /** They show the name, and can be put again only. */
  private static final String EMPTY_DAMAGED =
      "update documents set renderer = 0, deflated = '' where capture_id = any($1)";

  private static final String FORGET_RENAME =
      "delete from renames where workspace_id = $1 and kind = 'member' and named_id = $2";

  /** A standby without it must not show what it has of this workspace. */
  private static final String COUNT =
      """
      insert into erasure_heads as h (workspace_id, members) values ($1, 1)
      on conflict (workspace_id) do update set members = h.members + 1
      """;

  private static final String DELETE = "delete from members where workspace_id = $1 and id = $2";

  private final Transactions transactions;
  private final DocumentStore documents;

  public MemberErasure(Pool pool, DocumentStore documents) {
    this.transactions = new Transactions(pool);
    this.documents = documents;
  }

  /** Returns the number of captures that named the member. */
  public Future<Integer> erase(Caller caller, UUID workspaceId, UUID memberId) {
    return unlinkAll(workspaceId, memberId, 0)
        .compose(captures ->
            transactions
                .run(tx -> delete(tx, caller, workspaceId, memberId, captures))
                .map(captures)
                .recover(failure ->
                    failure instanceof NamedAgain
                        ? erase(caller, workspaceId, memberId).map(more -> captures + more)
                        : Future.failedFuture(failure)));
  }

  private Future<Integer> unlinkAll(UUID workspaceId, UUID memberId, int before) {
    return transactions
        .run(tx -> unlinkChunk(tx, workspaceId, memberId))
        .compose(unlinked ->
            unlinked == 0
                ? Future.succeededFuture(before)
                : unlinkAll(workspaceId, memberId, before + unlinked));
  }

  private Future<Integer> unlinkChunk(SqlConnection tx, UUID workspaceId, UUID memberId) {
    return tx.preparedQuery(HELD)
        .execute(Tuple.of(workspaceId))
        .compose(held -> {
          if (held.size() > 0) {
            throw Workspaces.onLegalHold();
          }
          return tx.preparedQuery(NEXT).execute(Tuple.of(workspaceId, memberId, CHUNK_MAX));
        })
        .compose(rows -> {
          UUID[] ids = new UUID[rows.size()];
          int n = 0;
          for (Row row : rows) {
            ids[n++] = row.getUUID("id");
          }
          return ids.length == 0
              ? Future.succeededFuture(0)
              : unlink(tx, memberId, ids).map(ids.length);
        });
  }

  /**
   * The stored documents show the name, so they are replaced in the same transaction. Those of an
   * earlier revision, which may still be being rendered, cannot be stored after this.
   */
  private Future<Void> unlink(SqlConnection tx, UUID memberId, UUID[] ids) {
    return tx.preparedQuery(LOCK)
        .execute(Tuple.of(ids))
        .compose(_ -> tx.preparedQuery(UNLINK).execute(Tuple.of(ids, memberId)))
        .compose(_ -> documents.renew(tx, List.of(ids)))
        .compose(renewed -> emptyDamaged(tx, renewed.unrenderable()));
  }

  private static Future<Void> emptyDamaged(SqlConnection tx, Set<UUID> ids) {
    return ids.isEmpty()
        ? Future.succeededFuture()
        : tx.preparedQuery(EMPTY_DAMAGED).execute(Tuple.of(ids.toArray(UUID[]::new))).mapEmpty();
  }

  private static Future<Void> delete(
      SqlConnection tx, Caller caller, UUID workspaceId, UUID memberId, int captures) {
    Tuple member = Tuple.of(workspaceId, memberId);
    return tx.preparedQuery(DELETE)
        .execute(member)
        .compose(deleted -> {
          if (deleted.rowCount() == 0) {
            throw new Refusal(404, "no such member in this workspace");
          }
          return tx.preparedQuery(NEXT).execute(Tuple.of(workspaceId, memberId, 1));
        })
        .compose(again -> {
          if (again.size() > 0) {
            throw new NamedAgain();
          }
          return tx.preparedQuery(FORGET_RENAME).execute(member);
        })
        .compose(_ -> tx.preparedQuery(COUNT).execute(Tuple.of(workspaceId)))
        .compose(_ ->
            AuditLog.write(
                tx,
                workspaceId,
                caller,
                new Act(
                    "member.erased",
                    "member",
                    memberId,
                    new JsonObject().put("captures", captures))));
  }

  /** A capture that was put since the last chunk names the member. */
  private static final class NamedAgain extends RuntimeException {
    private static final long serialVersionUID = 1;
  }
}
