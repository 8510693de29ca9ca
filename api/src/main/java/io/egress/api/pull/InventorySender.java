package io.egress.api.pull;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.egress.platform.http.PacedResponse;
import io.egress.platform.http.RequestLifetime;
import io.egress.transcript.document.BodyEncoder;
import io.egress.transcript.document.Fragment;
import io.egress.transcript.stream.Cursor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

/**
 * Sends the inventory up to where the stream ends as of the first chunk. The last line has the
 * number of captures, so that a truncated list does not look complete. Each chunk that follows
 * authenticates the key again.
 */
final class InventorySender {
  /** Reads the chunk of the positions above one and up to another. */
  interface Chunks {
    Future<Inventory.Chunk> between(long above, long upTo);
  }

  private final Vertx vertx;
  private final boolean gzip;
  private final BodyEncoder body;
  private final PacedResponse outlet;
  private final RequestLifetime lifetime;
  private final Chunks chunks;
  private final Promise<Integer> done = Promise.promise();
  private long captures;

  InventorySender(
      Vertx vertx, boolean gzip, PacedResponse outlet, RequestLifetime lifetime, Chunks chunks) {
    this.vertx = vertx;
    this.gzip = gzip;
    this.body = gzip ? BodyEncoder.gzip() : BodyEncoder.identity();
    this.outlet = outlet;
    this.lifetime = lifetime;
    this.chunks = chunks;
  }

  /** Returns the number of documents that were sent, which is none. */
  Future<Integer> send(Inventory.Chunk first) {
    long head = first.head() == null ? 0 : first.head();
    String end =
        head == 0 || first.chain() == null
            ? "null"
            : '"' + new Cursor(head, first.chain()).encode() + '"';
    send(first, 0, head, end);
    return done.future();
  }

  /**
   * Not composed with the chunks before: a long list would be a deep stack. The database writes the
   * next chunk while this one is sent.
   */
  private void send(Inventory.Chunk chunk, long after, long head, String end) {
    captures += chunk.captures();
    long reached = after + Inventory.CHUNK_POSITIONS;
    boolean isLast = reached >= head;
    Future<Inventory.Chunk> next =
        isLast
            ? Future.succeededFuture(chunk)
            : chunks.between(reached, Math.min(head, reached + Inventory.CHUNK_POSITIONS));
    add(chunk.lines())
        .compose(_ -> outlet.sendAll(body::next))
        .onSuccess(_ -> {
          if (isLast) {
            body.literal(
                "{\"captures\":%d,\"pageInfo\":{\"endCursor\":%s}}\n".formatted(captures, end));
            PageSender.finish(body, outlet).map(0).onComplete(done);
            return;
          }
          lifetime.resume();
          next.onSuccess(following -> send(following, reached, head, end)).onFailure(done::tryFail);
        })
        .onFailure(done::tryFail);
  }

  /**
   * Compressing a chunk takes longer than an event loop may be blocked. The fragment is added
   * within the returned future: what is called on success of one that another thread completes may
   * run after what is composed with it.
   */
  private Future<Void> add(String lines) {
    if (!gzip || lines.isEmpty()) {
      body.literal(lines);
      return Future.succeededFuture();
    }
    return vertx
        .executeBlocking(() -> Fragment.deflate(lines.getBytes(US_ASCII)), false)
        .map(fragment -> {
          body.fragment(fragment);
          return null;
        });
  }
}
