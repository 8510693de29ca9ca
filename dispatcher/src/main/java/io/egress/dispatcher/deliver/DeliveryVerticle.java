package io.egress.dispatcher.deliver;

import static java.util.Objects.requireNonNull;

import io.egress.dispatcher.supervise.ClockWatch;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one worker running on an event loop of its own. An exception that nobody handled, or too
 * long a wait for PostgreSQL or Kafka, ends the worker: it leaves its group with everything it
 * holds, and a new one reads again from the last commit. A stalled one is replaced once both
 * backends answer.
 */
public final class DeliveryVerticle extends VerticleBase {
  private static final Logger log = LoggerFactory.getLogger(DeliveryVerticle.class);

  /** Beyond that a consumer that cannot reach its brokers is left to itself. */
  private static final Duration LEAVE_MAX = Duration.ofSeconds(35);

  /** For outcomes that are known and not written when the backends answer again. */
  private static final Duration FLUSH_MAX = Duration.ofSeconds(5);

  private static final Duration CLOCK_PERIOD = Duration.ofSeconds(1);

  private final ClockWatch clock = new ClockWatch();
  private final SharedParts shared;
  private final WorkerSettings bounds;
  private final Set<String> topics;
  private @Nullable DeliveryWorker worker;
  private Future<Void> replacement = Future.succeededFuture();
  private boolean stopping;

  /** {@code topics} are all that deliveries may be found in, those of former schedules too. */
  public DeliveryVerticle(SharedParts shared, WorkerSettings bounds, Set<String> topics) {
    this.shared = requireNonNull(shared, "shared is null");
    this.bounds = requireNonNull(bounds, "bounds is null");
    this.topics = Set.copyOf(topics);
  }

  @Override
  public Future<?> start() {
    context.exceptionHandler(this::broke);
    vertx.setPeriodic(CLOCK_PERIOD.toMillis(), tick -> lookAtClock());
    return begin();
  }

  @Override
  public Future<?> stop() {
    stopping = true;
    return worker == null ? replacement : worker.close();
  }

  private Future<Void> begin() {
    DeliveryWorker begun = new DeliveryWorker(vertx, shared, bounds, this::stalled);
    worker = begun;
    return begun.start(topics);
  }

  private void lookAtClock() {
    Duration step = clock.setBack();
    DeliveryWorker misled = worker;
    if (!step.isZero() && misled != null && !stopping) {
      worker = null;
      Duration pause = shared.supervision().restarts().clockSetBack(step);
      replacement = release(misled).compose(released -> beginAfter(pause));
    }
  }

  private void broke(Throwable failure) {
    DeliveryWorker broken = worker;
    if (broken == null || stopping) {
      log.error("unexpected failure while a delivery worker is stopping", failure);
      return;
    }
    worker = null;
    Duration pause = shared.supervision().restarts().failed(failure);
    replacement = release(broken).compose(released -> beginAfter(pause));
  }

  private void stalled(Duration since) {
    DeliveryWorker idle = worker;
    if (idle == null || stopping) {
      return;
    }
    worker = null;
    Duration pause = shared.supervision().restarts().stalled(since);
    replacement =
        release(idle)
            .compose(released -> shared.supervision().backends().awaitAnswer(() -> stopping))
            .compose(answer -> idle.flush(FLUSH_MAX))
            .compose(flushed -> beginAfter(pause));
  }

  private static Future<Void> release(DeliveryWorker released) {
    return released.release().timeout(LEAVE_MAX.toMillis(), TimeUnit.MILLISECONDS).otherwiseEmpty();
  }

  private Future<Void> beginAfter(Duration pause) {
    return vertx
        .timer(pause.toMillis(), TimeUnit.MILLISECONDS)
        .compose(now -> stopping ? Future.succeededFuture() : begin())
        .onFailure(this::broke)
        .otherwiseEmpty();
  }
}
