package io.egress.api.hook;

import static java.util.Objects.requireNonNull;

import io.egress.capture.Capture;
import io.egress.capture.RevisedCapture;
import io.egress.database.Transactions;
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
 * Puts captures. Capture, participants, names, document and inbox row are committed together, so a
 * capture that was answered for is on its way into the stream, and one that was not has left no
 * trace.
 *
 * <p>Locks are taken in one order, by every transaction that writes captures: names first (see
 * {@link Names}), then captures by id.
 */
final class CaptureWriter {
  private static final Comparator<IncomingCapture> BY_ID =
      Comparator.comparing(incoming -> incoming.capture().id());

  private final Transactions transactions;
  private final NameStore names = new NameStore();
  private final CaptureRows rows = new CaptureRows();
  private final DocumentStore documents;

  CaptureWriter(Transactions transactions, DocumentStore documents) {
    this.transactions = requireNonNull(transactions, "transactions is null");
    this.documents = requireNonNull(documents, "documents is null");
  }

  /** The result of each, in the order given. No id may stand in {@code captures} twice. */
  Future<List<PutResult>> put(List<IncomingCapture> captures) {
    return transactions
        .run(tx -> new Put(tx, captures).asExpected())
        .recover(
            failure ->
                failure instanceof Unexpected
                    ? transactions.run(tx -> new Put(tx, captures).whateverIsStored())
                    : Future.failedFuture(failure));
  }

  private static Names namesIn(List<IncomingCapture> captures) {
    return Names.in(captures.stream().map(IncomingCapture::capture).toList());
  }

  /** Ends a transaction that began with too much hope, so that another can do it all. */
  private static final class Unexpected extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unexpected(String what) {
      super(what, null, false, false);
    }
  }

  private static List<IncomingCapture> spoken(List<IncomingCapture> captures) {
    return captures.stream().filter(IncomingCapture::spoken).toList();
  }

  /** One transaction's work. */
  private final class Put {
    private final SqlConnection tx;
    private final List<IncomingCapture> captures;
    private final Map<UUID, PutResult> results = new HashMap<>();

    Put(SqlConnection tx, List<IncomingCapture> captures) {
      this.tx = tx;
      this.captures = captures;
    }

    /**
     * Most captures are new, and say nothing new of anybody: their names can be held with the first
     * question, and all the rest be written with the second. Where names change it ends without
     * having written, for two transactions that hold the same name and change it would wait for
     * each other.
     */
    Future<List<PutResult>> asExpected() {
      Future<Map<UUID, CaptureRows.Stored>> stored = rows.read(tx, ids());
      Future<Names> held = names.hold(tx, namesIn(captures));
      return Future.join(stored, held)
          .compose(
              both -> {
                List<IncomingCapture> news = leaveOutRepeats(stored.result());
                if (!held.result().changesBy(namesIn(news)).isEmpty()) {
                  return Future.failedFuture(new Unexpected("names change"));
                }
                return stored.result().isEmpty()
                    ? create(held.result())
                    : writeCaptures(news, held.result());
              })
          .map(done -> results());
    }

    Future<List<PutResult>> whateverIsStored() {
      Future<Map<UUID, CaptureRows.Stored>> stored = rows.read(tx, ids());
      Future<Names> known = names.read(tx, namesIn(captures));
      return Future.join(stored, known)
          .compose(
              both -> {
                List<IncomingCapture> news = leaveOutRepeats(stored.result());
                return changeNames(news, known.result()).compose(held -> writeCaptures(news, held));
              })
          .map(done -> results());
    }

    /** None of them was stored a moment ago. */
    private Future<Void> create(Names held) {
      List<IncomingCapture> byId = captures.stream().sorted(BY_ID).toList();
      return documents(captures, Map.of(), held)
          .compose(
              rendered -> {
                Future<Set<UUID>> created = rows.insert(tx, byId);
                Future<Void> all =
                    Future.join(
                            created,
                            rows.addParticipants(tx, captures),
                            rows.enter(tx, spoken(captures)),
                            DocumentStore.put(tx, rendered))
                        .mapEmpty();
                return all.transform(
                    done ->
                        created.succeeded() && created.result().size() < captures.size()
                            ? Future.failedFuture(new Unexpected("another has put one of them"))
                            : all);
              })
          .onSuccess(done -> ids().forEach(id -> results.put(id, PutResult.CREATED)));
    }

    private List<UUID> ids() {
      return captures.stream().map(incoming -> incoming.capture().id()).toList();
    }

    private List<PutResult> results() {
      return captures.stream().map(this::result).toList();
    }

    private PutResult result(IncomingCapture incoming) {
      return requireNonNull(results.get(incoming.capture().id()), "a capture was not put");
    }

    private List<IncomingCapture> leaveOutRepeats(Map<UUID, CaptureRows.Stored> stored) {
      List<IncomingCapture> news = new ArrayList<>();
      for (IncomingCapture incoming : captures) {
        CaptureRows.Stored known = stored.get(incoming.capture().id());
        if (known == null) {
          news.add(incoming);
        } else if (!known.workspaceId().equals(incoming.capture().workspaceId())) {
          results.put(incoming.capture().id(), PutResult.OTHER_WORKSPACE);
        } else if (known.digest().equals(incoming.digest())) {
          results.put(incoming.capture().id(), PutResult.UNCHANGED);
        } else {
          news.add(incoming);
        }
      }
      return news;
    }

    /**
     * What {@code news} say, held as it is then; {@code known} is that and maybe more, as it was a
     * moment ago.
     */
    private Future<Names> changeNames(List<IncomingCapture> news, Names known) {
      Names said = namesIn(news);
      return addUnknownWorkspaces(news, known)
          .compose(done -> names.change(tx, known.changesBy(said)))
          .compose(done -> names.hold(tx, said));
    }

    /** A workspace whose device is known is known. */
    private Future<Void> addUnknownWorkspaces(List<IncomingCapture> news, Names known) {
      Set<UUID> unknown =
          news.stream()
              .map(IncomingCapture::capture)
              .filter(capture -> !known.knowsDeviceOf(capture))
              .map(Capture::workspaceId)
              .collect(Collectors.toCollection(TreeSet::new));
      return unknown.isEmpty() ? Future.succeededFuture() : names.addWorkspaces(tx, unknown);
    }

    private Future<Void> writeCaptures(List<IncomingCapture> news, Names held) {
      if (news.isEmpty()) {
        return Future.succeededFuture();
      }
      List<IncomingCapture> byId = news.stream().sorted(BY_ID).toList();
      return rows.insert(tx, byId)
          .compose(
              created -> {
                List<UUID> existing =
                    byId.stream()
                        .map(incoming -> incoming.capture().id())
                        .filter(id -> !created.contains(id))
                        .toList();
                created.forEach(id -> results.put(id, PutResult.CREATED));
                return rows.lock(tx, existing);
              })
          .compose(locked -> writeTheRest(news, locked, held));
    }

    /**
     * {@code locked} are those that existed; everything else in {@code news} was inserted just now.
     */
    private Future<Void> writeTheRest(
        List<IncomingCapture> news, Map<UUID, CaptureRows.Stored> locked, Names held) {
      List<IncomingCapture> fixes = new ArrayList<>();
      List<IncomingCapture> written = new ArrayList<>();
      List<IncomingCapture> entering = new ArrayList<>();
      for (IncomingCapture incoming : news) {
        CaptureRows.Stored before = locked.get(incoming.capture().id());
        if (before != null && !before.workspaceId().equals(incoming.capture().workspaceId())) {
          results.put(incoming.capture().id(), PutResult.OTHER_WORKSPACE);
          continue;
        }
        if (before != null && before.digest().equals(incoming.digest())) {
          results.put(incoming.capture().id(), PutResult.UNCHANGED);
          continue;
        }
        if (before != null) {
          results.put(incoming.capture().id(), PutResult.UPDATED);
          fixes.add(incoming);
        }
        written.add(incoming);
        if (incoming.spoken() && (before == null || !before.entered())) {
          entering.add(incoming);
        }
      }
      return rows.update(tx, fixes)
          .compose(done -> documents(written, locked, held))
          .compose(
              rendered ->
                  Future.join(
                      rows.addParticipants(tx, written),
                      rows.enter(tx, entering),
                      DocumentStore.put(tx, rendered)))
          .mapEmpty();
    }

    /** Those that {@code held} would have shown otherwise than they say are rendered anew. */
    private Future<List<RevisedDocument>> documents(
        List<IncomingCapture> written, Map<UUID, CaptureRows.Stored> locked, Names held) {
      List<RevisedDocument> asSaid = new ArrayList<>();
      List<RevisedCapture> otherwise = new ArrayList<>();
      for (IncomingCapture incoming : written) {
        UUID id = incoming.capture().id();
        CaptureRows.Stored before = locked.get(id);
        long revision = before == null ? 1 : before.revision() + 1;
        Capture shown = held.applyTo(incoming.capture());
        if (shown.equals(incoming.capture())) {
          asSaid.add(new RevisedDocument(id, revision, incoming.document()));
        } else {
          otherwise.add(new RevisedCapture(shown, revision));
        }
      }
      return documents
          .render(otherwise)
          .map(
              rendered -> {
                asSaid.addAll(rendered);
                return asSaid;
              });
    }
  }
}
