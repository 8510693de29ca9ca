package io.egress.api.hook;

import static java.util.Objects.requireNonNull;

import io.egress.api.intake.NameBody;
import io.egress.api.workspace.Workspaces;
import io.egress.capture.Member;
import io.egress.database.Transactions;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.Set;
import java.util.UUID;

/** Renames after the fact. A new name is shown by every capture that refers to it. */
final class Renames {
  private static final String WORKSPACE_OF =
      """
      select c.workspace_id from captures c join workspaces w on w.id = c.workspace_id
      where c.id = $1 and c.erased_at is null and w.ended_at is null
      """;
  private static final String LOCK_CAPTURE =
      "select 1 from captures where id = $1 for no key update";
  private static final String ASSIGN =
      """
      with assigned as (
        update participants set
          match_confidence = case
            when $3::uuid is null then null
            when $4::float8 is not null then $4
            when member_id = $3 then match_confidence end,
          member_id = $3
        where capture_id = $1 and label = $2
        returning capture_id)
      update captures set revision = revision + 1, updated_at = now()
      where id = (select capture_id from assigned)
      """;

  private final Transactions transactions;
  private final Runnable renamed;
  private final NameStore names = new NameStore();

  /** {@code renamed} is called after a rename: captures are waiting to be revised. */
  Renames(Transactions transactions, Runnable renamed) {
    this.transactions = requireNonNull(transactions, "transactions is null");
    this.renamed = requireNonNull(renamed, "renamed is null");
  }

  Future<Boolean> member(NameBody.NamedMember named) {
    Names changes = new Names();
    changes.add(named.workspaceId(), named.member());
    return put(named.workspaceId(), changes);
  }

  Future<Boolean> device(NameBody.NamedDevice named) {
    Names changes = new Names();
    changes.add(named.workspaceId(), named.device());
    return put(named.workspaceId(), changes);
  }

  /** False if there is no such capture or label. */
  Future<Boolean> speaker(UUID captureId, String label, NameBody.Speaker speaker) {
    return transactions
        .run(
            tx ->
                tx.preparedQuery(WORKSPACE_OF)
                    .execute(Tuple.of(captureId))
                    .compose(
                        rows ->
                            rows.size() == 0
                                ? Future.succeededFuture(false)
                                : assign(tx, rows.iterator().next(), captureId, label, speaker)))
        .onSuccess(done -> renamed.run());
  }

  private Future<Boolean> put(UUID workspaceId, Names changes) {
    return transactions
        .run(
            tx ->
                names
                    .addWorkspaces(tx, Set.of(workspaceId))
                    .compose(
                        ended -> {
                          if (!ended.isEmpty()) {
                            throw Workspaces.ended();
                          }
                          return names.change(tx, changes);
                        }))
        .onSuccess(done -> renamed.run())
        .map(true);
  }

  private Future<Boolean> assign(
      SqlConnection tx, Row capture, UUID captureId, String label, NameBody.Speaker speaker) {
    Names said = new Names();
    Member member = speaker.member();
    if (member != null) {
      said.add(capture.getUUID("workspace_id"), member);
    }
    return names
        .read(tx, said)
        .compose(known -> names.change(tx, known.changesBy(said)))
        .compose(done -> names.hold(tx, said))
        .compose(held -> tx.preparedQuery(LOCK_CAPTURE).execute(Tuple.of(captureId)))
        .compose(
            locked ->
                tx.preparedQuery(ASSIGN)
                    .execute(
                        Tuple.of(
                            captureId,
                            label,
                            member == null ? null : member.id(),
                            speaker.matchConfidence())))
        .map(rows -> rows.rowCount() > 0);
  }
}
