package io.egress.flow;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Memory shared by many exchanges: bytes are taken before they are read in and given back once they
 * have left. Whoever finds too little left waits in line; when the line is full, the answer is no.
 *
 * <p>A share larger than the whole budget is cut to it, so that one huge document passes alone
 * instead of never.
 */
public final class ByteBudget {
  private record Waiter(long bytes, Promise<Share> promise, Context context) {}

  /** Bytes taken; to be given back exactly once, further calls do nothing. */
  public final class Share {
    private long bytes;

    private Share(long bytes) {
      this.bytes = bytes;
    }

    public void giveBack() {
      synchronized (ByteBudget.this) {
        left += bytes;
        bytes = 0;
      }
      serveWaiters();
    }
  }

  private final Vertx vertx;
  private final long total;
  private final int waitersMax;
  private final Deque<Waiter> waiters = new ArrayDeque<>();
  private long left;

  public ByteBudget(Vertx vertx, long total, int waitersMax) {
    this.vertx = requireNonNull(vertx, "vertx is null");
    this.total = total;
    this.waitersMax = waitersMax;
    this.left = total;
  }

  /**
   * Fails with {@link LineFullException} when too many wait already. Completes on the caller's
   * context.
   */
  public Future<Share> take(long bytes) {
    long wanted = Math.min(bytes, total);
    synchronized (this) {
      if (waiters.isEmpty() && left >= wanted) {
        left -= wanted;
        return Future.succeededFuture(new Share(wanted));
      }
      if (waiters.size() >= waitersMax) {
        return Future.failedFuture(new LineFullException());
      }
      Promise<Share> promise = Promise.promise();
      waiters.add(new Waiter(wanted, promise, vertx.getOrCreateContext()));
      return promise.future();
    }
  }

  public synchronized long bytesTaken() {
    return total - left;
  }

  private void serveWaiters() {
    while (true) {
      Waiter served;
      synchronized (this) {
        Waiter first = waiters.peek();
        if (first == null || left < first.bytes()) {
          return;
        }
        left -= first.bytes();
        served = waiters.remove();
      }
      Share share = new Share(served.bytes());
      served.context().runOnContext(granted -> served.promise().complete(share));
    }
  }

  /** Too many exchanges wait for memory. */
  public static final class LineFullException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private LineFullException() {
      super("too many requests wait for memory", null, false, false);
    }
  }
}
