package io.egress.api.hook;

import static java.util.Objects.requireNonNull;

import io.egress.capture.Capture;
import io.egress.database.Transactions;
import io.egress.document.DocumentStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts captures. Capture, participants, names, document and inbox row are committed together, so a
 * capture that was answered for is on its way into the stream, and one that was not has left no
 * trace.
 *
 * <p>Locks are taken in one order, by every transaction that writes captures: names first (see
 * {@link Names}), then captures by id.
 */
final class CaptureWriter {
  private final Transactions transactions;
  private final DocumentStore documents;
  private final Hook.Wakeups wakeups;
  private final NamesLastSeen names = new NamesLastSeen();

  CaptureWriter(Pool pool, DocumentStore documents, Hook.Wakeups wakeups) {
    this.transactions = new Transactions(pool);
    this.documents = requireNonNull(documents, "documents is null");
    this.wakeups = requireNonNull(wakeups, "wakeups is null");
  }

  /** Takes a millisecond or more: not for an event loop. */
  IncomingCapture prepare(Capture capture, @Nullable String traceparent) {
    Capture shown = names.show(capture);
    return IncomingCapture.of(capture, shown, documents.render(shown), traceparent);
  }

  /** The result of each, in the order given. No id may stand in {@code captures} twice. */
  Future<List<PutResult>> put(List<IncomingCapture> captures) {
    return transactions
        .run(tx -> new PutTransaction(tx, documents, captures).put())
        .map(
            done -> {
              names.learn(done.names());
              wakeups.entered().run();
              if (done.renamed()) {
                wakeups.renamed().run();
              }
              return done.puts();
            });
  }
}
