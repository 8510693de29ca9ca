package io.egress.api.admin.erasures;

import io.egress.api.admin.workspaces.Workspaces;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.stream.StreamChanges;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unlinks a member from all captures, which then show the speaker's label, and erases the name and
 * the email. In chunks, each of which is complete: an interrupted erasure is continued by repeating
 * the call. A capture that is put meanwhile may name the member again: then the chunks go on before
 * the member goes.
 */
public final class MemberErasure {
  private static final Logger log = LoggerFactory.getLogger(MemberErasure.class);
  private static final int CHUNK_MAX = 200;

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
      insert into change_heads as h (workspace_id, erased_members) values ($1, 1)
      on conflict (workspace_id) do update set erased_members = h.erased_members + 1
      """;

  private static final String DELETE = "delete from members where workspace_id = $1 and id = $2";

  private final Transactions transactions;
  private final DocumentStore documents;

  public MemberErasure(Pool pool, DocumentStore documents) {
    this.transactions = new Transactions(pool);
    this.documents = documents;
  }

  /** Returns the number of captures that named the member. */
  public int erase(Caller caller, UUID workspaceId, UUID memberId) {
    int captures = 0;
    while (true) {
      captures += unlinkAll(workspaceId, memberId);
      int unlinked = captures;
      try {
        transactions.call(tx -> delete(tx, caller, workspaceId, memberId, unlinked));
        return unlinked;
      } catch (NamedAgain again) {
        log.debug("A capture that was put meanwhile names the member {}; continuing", memberId);
      }
    }
  }

  private int unlinkAll(UUID workspaceId, UUID memberId) {
    int unlinked = 0;
    while (true) {
      int chunk = transactions.call(tx -> unlinkChunk(tx, workspaceId, memberId));
      if (chunk == 0) {
        return unlinked;
      }
      unlinked += chunk;
    }
  }

  private int unlinkChunk(SqlConnection tx, UUID workspaceId, UUID memberId) {
    Workspaces.refuseOnLegalHold(tx, workspaceId);
    UUID[] ids =
        Rows.list(Rows.of(tx, NEXT, workspaceId, memberId, CHUNK_MAX), row -> row.getUUID("id"))
            .toArray(UUID[]::new);
    if (ids.length > 0) {
      unlink(tx, memberId, ids);
    }
    return ids.length;
  }

  /**
   * The stored documents show the name, so they are replaced in the same transaction. Those of an
   * earlier revision, which may still be being rendered, cannot be stored after this.
   */
  private void unlink(SqlConnection tx, UUID memberId, UUID[] ids) {
    Rows.of(tx, LOCK, (Object) ids);
    Rows.of(tx, UNLINK, ids, memberId);
    StreamChanges.enter(tx, List.of(ids)).await();
    Set<UUID> damaged = documents.renew(tx, List.of(ids)).await().unrenderable();
    if (!damaged.isEmpty()) {
      Rows.of(tx, EMPTY_DAMAGED, (Object) damaged.toArray(UUID[]::new));
    }
  }

  private static UUID delete(
      SqlConnection tx, Caller caller, UUID workspaceId, UUID memberId, int captures) {
    Workspaces.refuseOnLegalHold(tx, workspaceId);
    if (Rows.of(tx, DELETE, workspaceId, memberId).rowCount() == 0) {
      throw new Refusal(404, "no such member in this workspace");
    }
    if (Rows.of(tx, NEXT, workspaceId, memberId, 1).size() > 0) {
      throw new NamedAgain();
    }
    Rows.of(tx, FORGET_RENAME, workspaceId, memberId);
    Rows.of(tx, COUNT, workspaceId);
    JsonObject changes = new JsonObject().put("captures", captures);
    AuditLog.record(tx, workspaceId, caller, new Act("member.erased", "member", memberId, changes));
    return memberId;
  }

  /** A capture that was put since the last chunk names the member. */
  private static final class NamedAgain extends RuntimeException {
    private static final long serialVersionUID = 1;
  }
}
