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
import java.util.function.Consumer;

/**
 * Live deliveries beyond the share of their endpoint: it falls behind, and is sent them from the
 * stream. Their records are complete once that is stored. Owned by one event loop.
 */
final class FallingBehind {
  private final CatchUps catchUps;
  private final Reader reader;
  private final DurableBatches<Fallen> fallen;

  /**
   * What becomes of a job that was added.
   *
   * @param left it is done, because the endpoint is sent its delivery from the stream
   * @param kept its delivery has to be made by its record: the endpoint fell behind later, or was
   *     deleted
   * @param fell endpoints have fallen behind
   */
  record Reader(Consumer<Job> left, Consumer<Job> kept, Runnable fell) {}

  FallingBehind(Vertx vertx, CatchUps catchUps, Reader reader) {
    this.catchUps = catchUps;
    this.reader = reader;
    this.fallen =
        new DurableBatches<>(
            vertx,
            new Medium<>("which endpoints are behind", job -> job, this::store, Duration.ZERO));
  }

  void add(Job job) {
    Fallen added = new Fallen(job);
    fallen.add(added, () -> (added.isCovered ? reader.left() : reader.kept()).accept(job));
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
          reader.fell().run();
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
