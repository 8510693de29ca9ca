package io.egress.dispatcher.deliver;

import io.egress.dispatcher.durable.DurableBatches;
import io.egress.dispatcher.durable.DurableBatches.Medium;
import io.egress.webhook.backfill.CatchUps;
import io.egress.webhook.backfill.CatchUps.Covered;
import io.egress.webhook.delivery.Delivery;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Live deliveries beyond the share of their endpoint: it falls behind, and is sent them from the
 * stream. Their records are complete once that is stored. Owned by one event loop.
 */
final class FallingBehind {
  private final CatchUps catchUps;
  private final OutcomeRecorder outcomes;
  private final Runnable fell;
  private final DurableBatches<Fallen> fallen;

  /** {@code fell} is called when endpoints have fallen behind. */
  FallingBehind(Vertx vertx, CatchUps catchUps, OutcomeRecorder outcomes, Runnable fell) {
    this.catchUps = catchUps;
    this.outcomes = outcomes;
    this.fell = fell;
    this.fallen =
        new DurableBatches<>(
            vertx,
            new Medium<>("which endpoints are behind", job -> job, this::store, Duration.ZERO));
  }

  void add(Job job) {
    Fallen added = new Fallen(job);
    fallen.add(added, () -> stored(added));
  }

  /**
   * Its delivery has to be made by its record if the endpoint fell behind later, or was deleted.
   */
  private void stored(Fallen added) {
    if (added.isCovered) {
      outcomes.done(added.job);
    } else {
      outcomes.postponed(added.job, RecordIntake.PARKED_BEYOND_SHARE);
    }
  }

  int pending() {
    return fallen.pending();
  }

  long waitingNanos() {
    return fallen.waitingNanos();
  }

  void giveUp() {
    fallen.giveUp();
  }

  /** What is covered is asked for each time: the database may have lost what it answered before. */
  private Future<Void> store(List<Fallen> batch) {
    Map<UUID, Long> positions = new HashMap<>();
    for (Fallen each : batch) {
      Delivery delivery = each.job.delivery();
      positions.merge(delivery.endpointId(), delivery.position(), Math::min);
    }
    return catchUps
        .fallBehind(positions)
        .onSuccess(covered -> {
          for (Fallen each : batch) {
            Delivery delivery = each.job.delivery();
            each.isCovered =
                covered
                    .getOrDefault(delivery.endpointId(), Covered.NOTHING)
                    .contains(delivery.position());
          }
          fell.run();
        })
        .mapEmpty();
  }

  private static final class Fallen {
    private final Job job;
    private boolean isCovered;

    private Fallen(Job job) {
      this.job = job;
    }
  }
}
