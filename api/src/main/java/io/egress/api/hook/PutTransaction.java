package io.egress.api.hook;

import static java.util.Objects.requireNonNull;

import io.egress.api.relay.OwedRecord;
import io.egress.platform.database.Transactions;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.RevisedCapture;
import io.egress.transcript.document.CaptureTable;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.document.RevisedDocument;
import io.egress.transcript.stream.StreamChanges;
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
   * @param entered those that entered the stream
   * @param changed those that were in the stream and show something else now
   */
  record Done(
      List<PutResult> puts,
      Names names,
      boolean renamed,
      List<OwedRecord> entered,
      List<UUID> changed) {}

  private static final Comparator<IncomingCapture> BY_ID =
      Comparator.comparing(incoming -> incoming.capture().id());

  private final SqlConnection tx;
  private final DocumentStore documents;
  private final List<IncomingCapture> captures;
  private final boolean named;
  private final NameStore names = new NameStore();
  private final Map<UUID, PutResult> results = new HashMap<>();
  private boolean renamed;

  /**
   * {@code named} says that the captures will most likely not change names: their names are locked
   * at once, which saves a round trip. If they do, two transactions may wait for each other, and
   * one of them is repeated.
   */
  PutTransaction(
      SqlConnection tx, DocumentStore documents, List<IncomingCapture> captures, boolean named) {
    this.tx = tx;
    this.documents = documents;
    this.captures = List.copyOf(captures);
    this.named = named;
  }

  Future<Transactions.Last<Done>> put() {
    List<UUID> ids = captures.stream().map(incoming -> incoming.capture().id()).toList();
    Names said = namesIn(captures);
    Future<Map<UUID, CaptureTable.Stored>> stored = CaptureTable.stored(tx, ids);
    Future<Names> known = named ? names.hold(tx, said) : names.read(tx, said);
    return Future.join(stored, known)
        .compose(_ -> {
          List<IncomingCapture> toWrite = leaveOutRepeats(stored.result());
          if (toWrite.isEmpty()) {
            return nothing();
          }
          return addUnknownWorkspaces(toWrite, known.result())
              .compose(_ -> putOpen(toWrite, stored.result().keySet(), known.result()));
        });
  }

  private Future<Transactions.Last<Done>> nothing() {
    return Future.succeededFuture(
        () -> Future.succeededFuture(done(new Names(), List.of(), List.of())));
  }

  private Done done(Names held, List<OwedRecord> entered, List<UUID> changed) {
    return new Done(captures.stream().map(this::result).toList(), held, renamed, entered, changed);
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
      if (known == null || classify(incoming, known)) {
        toWrite.add(incoming);
      }
    }
    return toWrite;
  }

  /** Whether anything has to be written; if not, the result is already known. */
  private boolean classify(IncomingCapture incoming, CaptureTable.Stored known) {
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
  private Future<Transactions.Last<Done>> putOpen(
      List<IncomingCapture> toWrite, Set<UUID> existing, Names known) {
    List<IncomingCapture> open = new ArrayList<>();
    for (IncomingCapture incoming : toWrite) {
      if (known.hasEnded(incoming.capture().workspaceId())) {
        results.put(incoming.capture().id(), PutResult.ENDED);
      } else {
        open.add(incoming);
      }
    }
    return open.isEmpty()
        ? nothing()
        : names
            .put(tx, namesIn(open), known, named, () -> renamed = true)
            .compose(held -> write(open, existing, held));
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
        : names
            .addWorkspaces(tx, unknown)
            .map(ended -> {
              known.end(ended);
              return null;
            });
  }

  /**
   * {@code existing} are ids. Fails if another transaction has inserted one of the others
   * meanwhile.
   */
  private Future<Transactions.Last<Done>> write(
      List<IncomingCapture> toWrite, Set<UUID> existing, Names held) {
    List<UUID> known =
        toWrite.stream()
            .map(incoming -> incoming.capture().id())
            .filter(existing::contains)
            .sorted()
            .toList();
    return CaptureTable.lock(tx, known).compose(locked -> write(toWrite, locked, held));
  }

  /** All that are not {@code locked} are new. */
  private Future<Transactions.Last<Done>> write(
      List<IncomingCapture> toWrite, Map<UUID, CaptureTable.Stored> locked, Names held) {
    List<IncomingCapture> added = new ArrayList<>();
    List<IncomingCapture> fixes = new ArrayList<>();
    List<IncomingCapture> written = new ArrayList<>();
    List<IncomingCapture> entering = new ArrayList<>();
    List<UUID> changed = new ArrayList<>();
    for (IncomingCapture incoming : toWrite) {
      CaptureTable.Stored before = locked.get(incoming.capture().id());
      if (before == null) {
        results.put(incoming.capture().id(), PutResult.CREATED);
        added.add(incoming);
      } else if (classify(incoming, before)) {
        results.put(incoming.capture().id(), PutResult.UPDATED);
        fixes.add(incoming);
        if (before.entered()) {
          changed.add(incoming.capture().id());
        }
      } else {
        continue;
      }
      written.add(incoming);
      if (incoming.entry().spoken() && (before == null || !before.entered())) {
        entering.add(incoming);
      }
    }
    added.sort(BY_ID);
    return documents(written, locked, held)
        .map(rendered ->
            () -> {
              Future<?> stored =
                  Future.join(
                      CaptureTable.insert(tx, entries(added)),
                      CaptureTable.update(tx, entries(fixes)),
                      documents.put(tx, rendered));
              Future<List<OwedRecord>> entered = StreamEntry.enter(tx, entering);
              Future<Void> noted = StreamChanges.enter(tx, changed);
              return Future.join(stored, entered, noted)
                  .map(_ -> done(held, entered.result(), changed));
            });
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
        .map(rendered -> {
          asRendered.addAll(rendered);
          return asRendered;
        });
  }
}
