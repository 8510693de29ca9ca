package io.egress.platform.flow;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory shared by many exchanges: bytes are reserved before they are read in and released once
 * they were sent. If too little is left, an exchange waits in a queue for a bounded time; if the
 * queue is full, it is rejected.
 *
 * <p>An owner may reserve several times. It never holds more than is left to all others: however
 * much it requests, half of the budget remains for a second owner, and half of that for a third. An
 * owner's first share is granted whenever the bytes are available. Owners are served in turns. A
 * share that waits for bytes is not overtaken; one that waits because of what its own owner holds
 * may be.
 *
 * <p>A share larger than the whole budget is reduced to it, so that a huge document is served alone
 * instead of never.
 */
public final class ByteBudget {
  /** The number of owners that fills the queue. */
  private static final int OWNERS_IN_A_FULL_LINE = 5;

  /** Reserved bytes, to be released exactly once; further calls do nothing. */
  public final class Share {
    private final Owned owned;
    private long bytes;

    private Share(Owned owned, long bytes) {
      this.owned = owned;
      this.bytes = bytes;
    }

    public void giveBack() {
      synchronized (ByteBudget.this) {
        release(owned, bytes);
        bytes = 0;
      }
      serveWaiters();
    }

    /**
     * Resizes the share to {@code wanted} or less, or leaves it unchanged if too little is left: a
     * holder never waits for more.
     */
    public boolean resize(long wanted) {
      long more;
      synchronized (ByteBudget.this) {
        more = Math.min(wanted, total) - bytes;
        if (bytes == 0 || left < more) {
          return false;
        }
        hold(owned, more);
        bytes += more;
      }
      if (more < 0) {
        serveWaiters();
      }
      return true;
    }
  }

  /** A place in the queue, or its result. */
  public final class Place {
    private final Owned owned;
    private final long bytes;
    private final Promise<Share> promise = Promise.promise();
    private final Context context = vertx.getOrCreateContext();
    private @Nullable Long timer;

    private Place(Owned owned, long bytes) {
      this.owned = owned;
      this.bytes = bytes;
    }

    /**
     * Completes on the context of the caller; fails with {@link NoMemoryException} after a timeout,
     * and with {@link LeftException} after {@link #leave}.
     */
    public Future<Share> share() {
      return promise.future();
    }

    /** Leaves the queue. Does nothing once the share was granted. */
    public void leave() {
      end(new LeftException());
    }

    private void end(RuntimeException reason) {
      synchronized (ByteBudget.this) {
        if (owned.waiting.remove(this)) {
          waitersCount--;
          forget(owned);
        }
      }
      // A share that is granted but not yet handed over is released there.
      promise.tryFail(reason);
      cancelTimer();
      serveWaiters();
    }

    private void grant(Share share) {
      context.runOnContext(_ -> {
        cancelTimer();
        if (!promise.tryComplete(share)) {
          share.giveBack();
        }
      });
    }

    private synchronized void waitFor(Duration waitMax) {
      timer = vertx.setTimer(Math.max(1, waitMax.toMillis()), _ -> end(NoMemoryException.late()));
      if (promise.future().isComplete()) {
        cancelTimer();
      }
    }

    private synchronized void cancelTimer() {
      if (timer != null) {
        vertx.cancelTimer(timer);
        timer = null;
      }
    }
  }

  /** The shares that one owner holds and waits for. */
  private static final class Owned {
    private final Object owner;
    private final Deque<Place> waiting = new ArrayDeque<>();
    private long held;

    private Owned(Object owner) {
      this.owner = owner;
    }
  }

  private final Vertx vertx;
  private final long total;
  private final int waitersMax;
  private final int ownWaitersMax;
  private final Map<Object, Owned> owners = new HashMap<>();

  /** Waiting owners in the order of their turns. */
  private final Set<Owned> turns = new LinkedHashSet<>();

  private int waitersCount;
  private long left;

  public ByteBudget(Vertx vertx, long total, int waitersMax) {
    this.vertx = vertx;
    this.total = total;
    this.waitersMax = waitersMax;
    this.ownWaitersMax = Math.max(1, waitersMax / OWNERS_IN_A_FULL_LINE);
    this.left = total;
  }

  /** Reserves for a new owner, without a timeout. */
  public Future<Share> take(long bytes) {
    return ask(new Object(), bytes, null).share();
  }

  /** Reserves for {@code owner}, waiting at most {@code waitMax}. */
  public Place ask(Object owner, long bytes, @Nullable Duration waitMax) {
    Place place;
    synchronized (this) {
      Owned owned = owners.computeIfAbsent(owner, Owned::new);
      place = new Place(owned, Math.min(bytes, total));
      if (waitersCount == 0 && isGrantable(place)) {
        hold(owned, place.bytes);
        place.promise.complete(new Share(owned, place.bytes));
        return place;
      }
      if (waitersCount >= waitersMax || owned.waiting.size() >= ownWaitersMax) {
        forget(owned);
        place.promise.fail(NoMemoryException.lineFull());
        return place;
      }
      owned.waiting.add(place);
      turns.add(owned);
      waitersCount++;
    }
    if (waitMax != null) {
      place.waitFor(waitMax);
    }
    serveWaiters();
    return place;
  }

  public synchronized long bytesTaken() {
    return total - left;
  }

  public synchronized int waiting() {
    return waitersCount;
  }

  private void serveWaiters() {
    while (true) {
      Place served;
      Share share;
      synchronized (this) {
        Owned next = nextInTurn();
        if (next == null) {
          return;
        }
        served = next.waiting.remove();
        waitersCount--;
        hold(next, served.bytes);
        share = new Share(next, served.bytes);
        turns.remove(next);
        if (!next.waiting.isEmpty()) {
          turns.add(next);
        }
      }
      served.grant(share);
    }
  }

  private @Nullable Owned nextInTurn() {
    for (Owned owned : turns) {
      Place first = owned.waiting.element();
      if (isGrantable(first)) {
        return owned;
      }
      if (left < first.bytes) {
        return null;
      }
    }
    return null;
  }

  private boolean isGrantable(Place place) {
    long after = left - place.bytes;
    return after >= 0 && (place.owned.held == 0 || place.owned.held + place.bytes <= after);
  }

  private void hold(Owned owned, long bytes) {
    left -= bytes;
    owned.held += bytes;
  }

  private void release(Owned owned, long bytes) {
    left += bytes;
    owned.held -= bytes;
    forget(owned);
  }

  private void forget(Owned owned) {
    if (owned.waiting.isEmpty()) {
      turns.remove(owned);
      if (owned.held == 0) {
        owners.remove(owned.owner, owned);
      }
    }
  }

  /** There is no memory for another exchange. */
  public static final class NoMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private NoMemoryException(String message) {
      super(message, null, false, false);
    }

    private static NoMemoryException lineFull() {
      return new NoMemoryException("too many requests wait for memory");
    }

    private static NoMemoryException late() {
      return new NoMemoryException("no memory became free in time");
    }
  }

  /** The waiting exchange left the queue. */
  public static final class LeftException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private LeftException() {
      super("the request left the queue", null, false, false);
    }
  }
}
