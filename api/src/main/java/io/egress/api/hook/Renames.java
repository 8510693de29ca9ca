package io.egress.api.hook;

import io.egress.api.admin.workspaces.Workspaces;
import io.egress.api.intake.NameBody;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.RevisedCapture;
import io.egress.transcript.document.CaptureTable;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.stream.StreamChanges;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/** Renames after the fact. A new name is shown by every capture that refers to it. */
final class Renames {
  private static final String WORKSPACE_OF =
      """
      select c.workspace_id from captures c join workspaces w on w.id = c.workspace_id
      where c.id = $1 and c.erased_at is null and w.ended_at is null
      """;

  private enum Assigned {
    DONE,
    UNKNOWN,
    DAMAGED
  }

  private final Pool pool;
  private final Transactions transactions;
  private final DocumentStore documents;
  private final Runnable renamed;
  private final NameStore names = new NameStore();

  /** {@code renamed} is called after a rename: captures are waiting to be revised. */
  Renames(Pool pool, DocumentStore documents, Runnable renamed) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
    this.documents = documents;
    this.renamed = renamed;
  }

  Future<Boolean> member(NameBody.NamedMember named) {
    UUID workspaceId = named.workspaceId();
    return put(workspaceId, tx -> names.change(tx, workspaceId, named.change()));
  }

  Future<Boolean> device(NameBody.NamedDevice named) {
    return put(named.workspaceId(), tx -> names.change(tx, named));
  }

  /** False if there is no such capture or label. */
  Future<Boolean> speaker(UUID captureId, String label, NameBody.Speaker speaker) {
    return transactions
        .run(tx ->
            tx.preparedQuery(WORKSPACE_OF)
                .execute(Tuple.of(captureId))
                .compose(rows ->
                    rows.size() == 0
                        ? Future.succeededFuture(Assigned.UNKNOWN)
                        : assign(tx, rows.iterator().next(), captureId, label, speaker)))
        .onSuccess(_ -> {
          renamed.run();
          StreamChanges.announce(pool, List.of(captureId));
        })
        .map(assigned -> {
          if (assigned == Assigned.DAMAGED) {
            throw new Refusal(409, "the document is damaged: put the capture again");
          }
          return assigned == Assigned.DONE;
        });
  }

  private Future<Boolean> put(UUID workspaceId, Function<SqlConnection, Future<Boolean>> change) {
    return transactions
        .run(tx ->
            names
                .addWorkspaces(tx, Set.of(workspaceId))
                .compose(ended -> {
                  if (!ended.isEmpty()) {
                    throw Workspaces.ended();
                  }
                  return change.apply(tx);
                }))
        .onSuccess(_ -> renamed.run())
        .map(true);
  }

  private Future<Assigned> assign(
      SqlConnection tx, Row capture, UUID captureId, String label, NameBody.Speaker speaker) {
    NameBody.MemberChange named = speaker.member();
    return (named == null
            ? Future.succeededFuture(new Names())
            : name(tx, capture.getUUID("workspace_id"), named))
        .compose(held ->
            CaptureTable.lock(tx, List.of(captureId))
                .compose(_ -> documents.restore(tx, List.of(captureId)))
                .compose(found ->
                    found.unreadable().isEmpty()
                        ? assign(tx, found.captures(), held, label, speaker)
                        : Future.succeededFuture(Assigned.DAMAGED)));
  }

  /** Returns the member as it is now, locked. */
  private Future<Names> name(SqlConnection tx, UUID workspaceId, NameBody.MemberChange named) {
    Names said = new Names();
    said.add(workspaceId, named.member());
    return names.change(tx, workspaceId, named).compose(_ -> names.hold(tx, said));
  }

  /** {@code found} is empty if the capture was erased meanwhile. */
  private Future<Assigned> assign(
      SqlConnection tx,
      List<RevisedCapture> found,
      Names held,
      String label,
      NameBody.Speaker speaker) {
    for (RevisedCapture revised : found) {
      for (Participant participant : revised.capture().participants()) {
        if (participant.label().equals(label)) {
          Capture changed =
              held.applyTo(revised.capture().withParticipant(speaker.assignedTo(participant)));
          return CaptureTable.setMembers(tx, changed)
              .compose(_ ->
                  documents.render(List.of(new RevisedCapture(changed, revised.revision() + 1))))
              .compose(rendered -> documents.put(tx, rendered))
              .compose(_ -> StreamChanges.enter(tx, List.of(changed.id())))
              .map(Assigned.DONE);
        }
      }
    }
    return Future.succeededFuture(Assigned.UNKNOWN);
  }
}
