package io.egress.api.hook;

import static java.util.Objects.requireNonNull;

import io.egress.capture.Capture;
import io.egress.capture.RevisedCapture;
import io.egress.document.CaptureTable;
import io.egress.document.DocumentStore;
import io.egress.document.RevisedDocument;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Stores captures in one transaction. They may already exist, and may change names. Independent
 * statements are pipelined.
 */
final class PutTransaction {
  /**
   * The result of the transaction.
   *
   * @param puts the result of each capture
   * @param names the names as stored
   * @param renamed whether a name that captures may show has changed
   */
  record Done(List<PutResult> puts, Names names, boolean renamed) {}

  private static final Comparator<IncomingCapture> BY_ID =
      Comparator.comparing(incoming -> incoming.capture().id());

  private final SqlConnection tx;
  private final DocumentStore documents;
  private final List<IncomingCapture> captures;
  private final NameStore names = new NameStore();
  private final Map<UUID, PutResult> results = new HashMap<>();
  private boolean renamed;

  PutTransaction(SqlConnection tx, DocumentStore documents, List<IncomingCapture> captures) {
    this.tx = requireNonNull(tx, "tx is null");
    this.documents = requireNonNull(documents, "documents is null");
    this.captures = List.copyOf(captures);
  }

  Future<Done> put() {
    List<UUID> ids = captures.stream().map(incoming -> incoming.capture().id()).toList();
    Future<Map<UUID, CaptureTable.Stored>> stored = CaptureTable.stored(tx, ids);
    Future<Names> known = names.read(tx, namesIn(captures));
    return Future.join(stored, known)
        .compose(
            both -> {
              List<IncomingCapture> toWrite = leaveOutRepeats(stored.result());
              if (toWrite.isEmpty()) {
                return Future.succeededFuture(new Names());
              }
              return addUnknownWorkspaces(toWrite, known.result())
                  .compose(added -> putOpen(toWrite, known.result()));
            })
        .map(held -> new Done(captures.stream().map(this::result).toList(), held, renamed));
  }

  private PutResult result(IncomingCapture incoming) {
    return requireNonNull(results.get(incoming.capture().id()), "a capture was not put");
  }

  private static List<CaptureTable.Entry> entries(List<IncomingCapture> captures) {
    return captures.stream().map(IncomingCapture::entry).toList();
  }

  private static Names namesIn(List<IncomingCapture> captures) {
    return Names.in(captures.stream().map(IncomingCapture::capture).toList());
  }

  private List<IncomingCapture> leaveOutRepeats(Map<UUID, CaptureTable.Stored> stored) {
    List<IncomingCapture> toWrite = new ArrayList<>();
    for (IncomingCapture incoming : captures) {
      CaptureTable.Stored known = stored.get(incoming.capture().id());
      if (known == null || isNew(incoming, known)) {
        toWrite.add(incoming);
      }
    }
    return toWrite;
  }

  /** Whether anything has to be written; if not, the result is already known. */
  private boolean isNew(IncomingCapture incoming, CaptureTable.Stored known) {
    if (!known.workspaceId().equals(incoming.capture().workspaceId())) {
      results.put(incoming.capture().id(), PutResult.OTHER_WORKSPACE);
      return false;
    }
    if (known.erased()) {
      results.put(incoming.capture().id(), PutResult.ERASED);
      return false;
    }
    if (known.digest().equals(incoming.entry().digest())) {
      results.put(incoming.capture().id(), PutResult.UNCHANGED);
      return false;
    }
    return true;
  }

  /**
   * Writes those whose workspace has not ended. {@code known} contains the names in {@code
   * toWrite}, and possibly more, as of a moment ago. One that ends from now on erases what was put,
   * too.
   */
  private Future<Names> putOpen(List<IncomingCapture> toWrite, Names known) {
    List<IncomingCapture> open = new ArrayList<>();
    for (IncomingCapture incoming : toWrite) {
      if (known.hasEnded(incoming.capture().workspaceId())) {
        results.put(incoming.capture().id(), PutResult.ENDED);
      } else {
        open.add(incoming);
      }
    }
    return open.isEmpty()
        ? Future.succeededFuture(new Names())
        : names
            .change(tx, known.changesBy(namesIn(open)))
            .onSuccess(changed -> renamed = changed)
            .compose(changed -> write(open));
  }

  /** If its device is known, so is the workspace. */
  private Future<Void> addUnknownWorkspaces(List<IncomingCapture> toWrite, Names known) {
    Set<UUID> unknown =
        toWrite.stream()
            .map(IncomingCapture::capture)
            .filter(capture -> !known.knowsDeviceOf(capture))
            .map(Capture::workspaceId)
            .collect(Collectors.toCollection(TreeSet::new));
    return unknown.isEmpty()
        ? Future.succeededFuture()
        : names.addWorkspaces(tx, unknown).onSuccess(known::end).mapEmpty();
  }

  /** Returns the names, locked. */
  private Future<Names> write(List<IncomingCapture> toWrite) {
    List<IncomingCapture> byId = toWrite.stream().sorted(BY_ID).toList();
    Future<Names> held = names.hold(tx, namesIn(toWrite));
    Future<Set<UUID>> inserted = CaptureTable.insert(tx, entries(byId));
    return Future.join(held, inserted)
        .compose(
            both -> {
              Set<UUID> created = inserted.result();
              List<UUID> existing =
                  byId.stream()
                      .map(incoming -> incoming.capture().id())
                      .filter(id -> !created.contains(id))
                      .toList();
              created.forEach(id -> results.put(id, PutResult.CREATED));
              return CaptureTable.lock(tx, existing);
            })
        .compose(locked -> writeTheRest(toWrite, locked, held.result()))
        .map(written -> held.result());
  }

  /**
   * {@code locked} are the captures that existed; all others in {@code toWrite} were just inserted.
   */
  private Future<Void> writeTheRest(
      List<IncomingCapture> toWrite, Map<UUID, CaptureTable.Stored> locked, Names held) {
    List<IncomingCapture> fixes = new ArrayList<>();
    List<IncomingCapture> written = new ArrayList<>();
    List<IncomingCapture> entering = new ArrayList<>();
    for (IncomingCapture incoming : toWrite) {
      CaptureTable.Stored before = locked.get(incoming.capture().id());
      if (before != null) {
        if (!isNew(incoming, before)) {
          continue;
        }
        results.put(incoming.capture().id(), PutResult.UPDATED);
        fixes.add(incoming);
      }
      written.add(incoming);
      if (incoming.entry().spoken() && (before == null || !before.entered())) {
        entering.add(incoming);
      }
    }
    return CaptureTable.update(tx, entries(fixes))
        .compose(done -> documents(written, locked, held))
        .compose(
            rendered ->
                Future.join(
                    CaptureTable.addParticipants(tx, entries(written)),
                    StreamInbox.add(tx, entering),
                    documents.put(tx, rendered)))
        .mapEmpty();
  }

  /** Renders captures again whose stored names differ from those expected. */
  private Future<List<RevisedDocument>> documents(
      List<IncomingCapture> written, Map<UUID, CaptureTable.Stored> locked, Names held) {
    List<RevisedDocument> asRendered = new ArrayList<>();
    List<RevisedCapture> otherwise = new ArrayList<>();
    for (IncomingCapture incoming : written) {
      UUID id = incoming.capture().id();
      CaptureTable.Stored before = locked.get(id);
      long revision = before == null ? 1 : before.revision() + 1;
      Capture shown = held.applyTo(incoming.capture());
      if (shown.equals(incoming.shown())) {
        asRendered.add(new RevisedDocument(id, revision, incoming.document()));
      } else {
        otherwise.add(new RevisedCapture(shown, revision));
      }
    }
    return documents
        .render(otherwise)
        .map(
            rendered -> {
              asRendered.addAll(rendered);
              return asRendered;
            });
  }
}
