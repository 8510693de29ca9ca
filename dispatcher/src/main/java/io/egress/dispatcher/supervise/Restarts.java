package io.egress.dispatcher.supervise;

import io.egress.platform.metrics.Metrics;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Schedules restarts of one kind of consumer. A restart releases all partitions and reads again
 * from the last commit, so no record is lost. Restarts in quick succession have increasing delays.
 * Thread-safe.
 */
public final class Restarts {
  private static final Logger log = LoggerFactory.getLogger(Restarts.class);

  private static final Duration PAUSE_MIN = Duration.ofMillis(500);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(30);

  /** Three in a row. */
  private static final Duration PAUSE_AFTER_SEVERAL = PAUSE_MIN.multipliedBy(4);

  /** A consumer that has run for this long ends a series of restarts. */
  private static final Duration STEADY_AFTER = Duration.ofMinutes(1);

  private final String part;
  private final Counter failures;
  private final Counter stalls;
  private final Counter clockSteps;
  private final Counter replacements;
  private final List<Runnable> members = new CopyOnWriteArrayList<>();
  private Set<String> replaced = Set.of();
  private long replacedNanos;
  private Duration pause = PAUSE_MIN;
  private long lastNanos = System.nanoTime() - STEADY_AFTER.toNanos();

  /** {@code part} is the name in logs and metrics. */
  public Restarts(Metrics metrics, String part) {
    this.part = part;
    this.failures = counter(metrics, part, "failure");
    this.stalls = counter(metrics, part, "stalled");
    this.clockSteps = counter(metrics, part, "clock");
    this.replacements = counter(metrics, part, "queue");
  }

  /** An unexpected failure. Returns how long to wait before the next start. */
  public synchronized Duration failed(Throwable failure) {
    failures.increment();
    Duration next = nextPause();
    log.error(
        "Unexpected failure of {}; restarting from the last commit in {} ms",
        part,
        next.toMillis(),
        failure);
    return next;
  }

  /** No progress because PostgreSQL or Kafka does not answer. Returns how long to wait. */
  public synchronized Duration stalled(Duration since) {
    stalls.increment();
    log.warn(
        "No progress of {} for {} s because PostgreSQL or Kafka does not answer;"
            + " its partitions go to other dispatchers until both answer",
        part,
        since.toSeconds());
    return nextPause();
  }

  /** The wall clock was set back. Returns how long to wait before the next start. */
  public synchronized Duration clockSetBack(Duration step) {
    clockSteps.increment();
    log.warn(
        "The clock was set back by {} s; restarting {}, because its Kafka client would wait as long",
        step.toSeconds(),
        part);
    return nextPause();
  }

  /** {@code restart} restarts a member. */
  void onReplacedQueue(Runnable restart) {
    members.add(restart);
  }

  /** Restarts all members, whose positions in these topics are those of other ones. */
  public void replaced(Set<String> topics) {
    synchronized (this) {
      replaced = Set.copyOf(topics);
      replacedNanos = System.nanoTime();
    }
    members.forEach(Runnable::run);
  }

  /**
   * The topics that have just been replaced. Offsets committed for them are not to be used: members
   * may have committed their old positions to the new topics.
   */
  public synchronized Set<String> replacedLately() {
    return System.nanoTime() - replacedNanos < STEADY_AFTER.toNanos() ? replaced : Set.of();
  }

  /** The topics were replaced. Returns how long to wait before the next start. */
  public synchronized Duration queueReplaced() {
    replacements.increment();
    log.warn("The topics that {} reads were replaced; restarting it", part);
    return nextPause();
  }

  /**
   * Whether one restart follows the other: what is due is read again and again and not finished.
   */
  public synchronized boolean areRepeated() {
    return pause.compareTo(PAUSE_AFTER_SEVERAL) > 0
        && System.nanoTime() - lastNanos < STEADY_AFTER.toNanos();
  }

  private Duration nextPause() {
    long now = System.nanoTime();
    boolean steady = now - lastNanos > STEADY_AFTER.toNanos();
    Duration next = steady ? PAUSE_MIN : pause;
    lastNanos = now + next.toNanos();
    pause = next.multipliedBy(2).compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : next.multipliedBy(2);
    return next;
  }

  private static Counter counter(Metrics metrics, String part, String reason) {
    return metrics.counter(
        "egress_dispatcher_restarts_total",
        "restarts of a consumer, which releases its partitions",
        "part",
        part,
        "reason",
        reason);
  }
}
