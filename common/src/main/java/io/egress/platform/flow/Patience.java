package io.egress.platform.flow;

import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Limits how slow a client may be, as a leaky bucket. Waiting for the client drains it, and every
 * byte that the client sends or receives refills it at the slowest allowed rate, up to its initial
 * level. A client that stalls is given up after the whole time, and one that drips as soon as it
 * has fallen that far behind the rate. Owned by one event loop.
 */
public final class Patience {
  /**
   * The requirements on a client.
   *
   * @param stallMax how long a client may do nothing
   * @param bytesPerSecondMin how fast it has to be in the long run
   */
  public record Terms(Duration stallMax, long bytesPerSecondMin) {}

  private static final long NO_TIMER = -1;

  private final Vertx vertx;
  private final Terms terms;
  private final Runnable exhausted;
  private long leftNanos;
  private long waitingSinceNanos;
  private long timer = NO_TIMER;

  /** {@code exhausted} is called at most once per wait. */
  public Patience(Vertx vertx, Terms terms, Runnable exhausted) {
    this.vertx = vertx;
    this.terms = terms;
    this.exhausted = exhausted;
    this.leftNanos = terms.stallMax().toNanos();
  }

  public void startWaiting() {
    waitingSinceNanos = System.nanoTime();
    arm();
  }

  public void progress(long bytes) {
    if (timer != NO_TIMER) {
      use();
    }
    long whole = terms.stallMax().toNanos();
    double restored = (double) bytes * TimeUnit.SECONDS.toNanos(1) / terms.bytesPerSecondMin();
    leftNanos = Math.min(whole, leftNanos + (long) Math.min((double) whole, restored));
  }

  public void stopWaiting() {
    if (timer != NO_TIMER) {
      vertx.cancelTimer(timer);
      timer = NO_TIMER;
      use();
    }
  }

  private void arm() {
    long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos));
    timer = vertx.setTimer(millis, _ -> check());
  }

  private void check() {
    use();
    if (leftNanos < TimeUnit.MILLISECONDS.toNanos(1)) {
      timer = NO_TIMER;
      exhausted.run();
    } else {
      arm();
    }
  }

  private void use() {
    long now = System.nanoTime();
    leftNanos -= now - waitingSinceNanos;
    waitingSinceNanos = now;
  }
}
