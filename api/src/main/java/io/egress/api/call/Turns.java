package io.egress.api.call;

import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Parts of searches, one after the other in the order in which they were asked for: they use one
 * connection, so that pages and calls always find another one.
 */
public final class Turns {
  private final Semaphore turn = new Semaphore(1, true);

  /** Waits for the turn, on a virtual thread. */
  public <T> T take(Supplier<T> part) {
    turn.acquireUninterruptibly();
    try {
      return part.get();
    } finally {
      turn.release();
    }
  }
}
