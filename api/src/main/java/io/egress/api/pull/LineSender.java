package io.egress.api.pull;

import io.egress.platform.http.PacedResponse;
import io.egress.platform.http.RequestLifetime;
import io.egress.transcript.document.BodyEncoder;
import io.egress.transcript.stream.Cursor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends a feed up to where it ends as of the first page, one entry a line, page after page. Lines
 * with a cursor are between them, for a client that breaks off; the last line is one, so that a
 * truncated stream does not look complete. Each page that follows authenticates the key again.
 */
final class LineSender {
  private static final int DOCUMENTS_A_CURSOR = 1_000;

  private final PageSender sender;
  private final Function<Cursor, Future<StreamPage>> pageAfter;
  private final PageRoom room;
  private final RequestLifetime lifetime;
  private final BodyEncoder body;
  private final PacedResponse outlet;
  private final Promise<Integer> done = Promise.promise();
  private @Nullable Cursor last;
  private int sent;

  /** {@code start} is where the reader goes on if nothing is sent; null if it knows that. */
  LineSender(
      PageSender sender,
      @Nullable Cursor start,
      Function<Cursor, Future<StreamPage>> pageAfter,
      PageRoom room,
      RequestLifetime lifetime,
      BodyEncoder body,
      PacedResponse outlet) {
    this.sender = sender;
    this.last = start;
    this.pageAfter = pageAfter;
    this.room = room;
    this.lifetime = lifetime;
    this.body = body;
    this.outlet = outlet;
  }

  /** Returns the number of documents. */
  Future<Integer> send(StreamPage first) {
    send(first, first.readableHead() == null ? 0 : first.readableHead());
    return done.future();
  }

  /** Not composed with the pages before: a long stream would be a deep stack. */
  private void send(StreamPage next, long head) {
    StreamPage page = next.upTo(head);
    sender
        .sendLines(page, room, body, outlet)
        .onSuccess(_ -> sent(page, head))
        .onFailure(done::tryFail);
  }

  private void sent(StreamPage page, long head) {
    Cursor end = page.end();
    int before = sent;
    sent += page.entries().size();
    last = end == null ? last : end;
    if (end == null || end.position() >= head) {
      body.literal("{" + PageSender.pageInfo(last, false) + "}\n");
      PageSender.finish(body, outlet).map(sent).onComplete(done);
      return;
    }
    // A page of a standby can be short.
    if (sent / DOCUMENTS_A_CURSOR > before / DOCUMENTS_A_CURSOR) {
      body.literal("{" + PageSender.pageInfo(last, true) + "}\n");
    }
    lifetime.resume();
    pageAfter.apply(end).onSuccess(following -> send(following, head)).onFailure(done::tryFail);
  }
}
