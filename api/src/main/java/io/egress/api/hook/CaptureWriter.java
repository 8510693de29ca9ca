package io.egress.api.hook;

import static java.util.Objects.requireNonNull;

import io.egress.capture.Capture;
import io.egress.capture.RevisedCapture;
import io.egress.database.Transactions;
import io.egress.document.DocumentStore;
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
import java.util.function.Function;
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
    return transactions.run(tx -> new Put(tx, captures).run());
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

    /** Questions that do not need each other's answers are asked in one go. */
    Future<List<PutResult>> run() {
      Names said = Names.in(captures.stream().map(IncomingCapture::capture).toList());
      Future<Map<UUID, CaptureRows.Stored>> stored =
          rows.read(tx, captures.stream().map(incoming -> incoming.capture().id()).toList());
      Future<Names> known = names.read(tx, said);
      return Future.join(stored, known)
          .map(both -> leaveOutRepeats(stored.result()))
          .compose(news -> write(news, known.result()))
          .map(done -> captures.stream().map(this::result).toList());
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

    /** {@code known} are at least the names that {@code news} say, as they were a moment ago. */
    private Future<Void> write(List<IncomingCapture> news, Names known) {
      if (news.isEmpty()) {
        return Future.succeededFuture();
      }
      Names said = Names.in(news.stream().map(IncomingCapture::capture).toList());
      return addUnknownWorkspaces(news, known)
          .compose(done -> names.change(tx, known.changesBy(said)))
          .compose(done -> names.hold(tx, said))
          .compose(held -> writeCaptures(news, held));
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
          .compose(
              done ->
                  Future.join(
                      rows.addParticipants(tx, written),
                      rows.enter(tx, entering),
                      documents.store(tx, revised(written, locked, held))))
          .mapEmpty();
    }

    private static List<RevisedCapture> revised(
        List<IncomingCapture> written, Map<UUID, CaptureRows.Stored> locked, Names held) {
      Function<UUID, Long> revision =
          id -> locked.containsKey(id) ? locked.get(id).revision() + 1 : 1L;
      return written.stream()
          .map(
              incoming ->
                  new RevisedCapture(
                      held.applyTo(incoming.capture()), revision.apply(incoming.capture().id())))
          .toList();
    }
  }
}
