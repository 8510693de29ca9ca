package io.egress.api.hook;

import io.egress.api.admin.workspaces.Workspaces;
import io.egress.api.intake.NameBody;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.RevisedCapture;
import io.egress.transcript.document.CaptureTable;
import io.egress.transcript.document.DocumentStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Set;
import java.util.UUID;

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

  private final Transactions transactions;
  private final DocumentStore documents;
  private final Runnable renamed;
  private final NameStore names = new NameStore();

  /** {@code renamed} is called after a rename: captures are waiting to be revised. */
  Renames(Transactions transactions, DocumentStore documents, Runnable renamed) {
    this.transactions = transactions;
    this.documents = documents;
    this.renamed = renamed;
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
        .run(tx ->
            tx.preparedQuery(WORKSPACE_OF)
                .execute(Tuple.of(captureId))
                .compose(rows ->
                    rows.size() == 0
                        ? Future.succeededFuture(Assigned.UNKNOWN)
                        : assign(tx, rows.iterator().next(), captureId, label, speaker)))
        .onSuccess(_ -> renamed.run())
        .map(assigned -> {
          if (assigned == Assigned.DAMAGED) {
            throw new Refusal(409, "the document is damaged: put the capture again");
          }
          return assigned == Assigned.DONE;
        });
  }

  private Future<Boolean> put(UUID workspaceId, Names changes) {
    return transactions
        .run(tx ->
            names
                .addWorkspaces(tx, Set.of(workspaceId))
                .compose(ended -> {
                  if (!ended.isEmpty()) {
                    throw Workspaces.ended();
                  }
                  return names.change(tx, changes);
                }))
        .onSuccess(_ -> renamed.run())
        .map(true);
  }

  private Future<Assigned> assign(
      SqlConnection tx, Row capture, UUID captureId, String label, NameBody.Speaker speaker) {
    Names said = new Names();
    Member member = speaker.member();
    if (member != null) {
      said.add(capture.getUUID("workspace_id"), member);
    }
    return names
        .read(tx, said)
        .compose(known -> names.put(tx, said, known, false, () -> {}))
        .compose(held ->
            CaptureTable.lock(tx, List.of(captureId))
                .compose(_ -> documents.restore(tx, List.of(captureId)))
                .compose(found ->
                    found.unreadable().isEmpty()
                        ? assign(tx, found.captures(), held, label, speaker)
                        : Future.succeededFuture(Assigned.DAMAGED)));
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
              .map(Assigned.DONE);
        }
      }
    }
    return Future.succeededFuture(Assigned.UNKNOWN);
  }
}
