package io.egress.api.hook;

import io.egress.platform.database.Transactions;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.document.CaptureTable;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.stream.StreamChanges;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stores captures. A capture, its names, its document and its place in the stream are committed
 * together: an acknowledged capture is in the stream, and a rejected one leaves no trace.
 *
 * <p>All transactions that write captures take locks in one order: names first (see {@link Names}),
 * then captures by id, then the workspaces whose streams they enter, then the heads of their
 * changes.
 */
final class CaptureWriter {
  private final Pool pool;
  private final Transactions transactions;
  private final DocumentStore documents;
  private final Hook.Wakeups wakeups;
  private final NamesLastSeen names = new NamesLastSeen();

  CaptureWriter(Pool pool, DocumentStore documents, Hook.Wakeups wakeups) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
    this.documents = documents;
    this.wakeups = wakeups;
  }

  /** Takes a millisecond or more; not for an event loop. */
  IncomingCapture prepare(Capture capture, @Nullable String traceparent) {
    Capture shown = names.show(capture);
    return new IncomingCapture(
        CaptureTable.Entry.of(capture), shown, documents.render(shown), traceparent);
  }

  /** Returns results in the given order. {@code captures} must not contain an id twice. */
  Future<List<PutResult>> put(List<IncomingCapture> captures) {
    boolean named =
        names.hasAll(Names.in(captures.stream().map(IncomingCapture::capture).toList()));
    return transactions
        .runToLast(tx -> new PutTransaction(tx, documents, captures, named).put())
        .map(done -> {
          names.learn(done.names());
          if (!done.entered().isEmpty()) {
            wakeups.entered().accept(done.entered());
            StreamEntry.announce(pool, done.entered());
          }
          StreamChanges.announce(pool, done.changed());
          if (done.renamed()) {
            wakeups.renamed().run();
          }
          return done.puts();
        })
        .recover(failure ->
            CaptureTable.isTaken(failure) ? put(captures) : Future.failedFuture(failure));
  }
}
