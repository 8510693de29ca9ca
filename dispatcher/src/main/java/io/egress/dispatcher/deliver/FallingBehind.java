package io.egress.dispatcher.deliver;

import io.egress.dispatcher.durable.DurableBatches;
import io.egress.dispatcher.durable.DurableBatches.Medium;
import io.egress.platform.flow.LatestUsed;
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
  private static final int REMEMBERED_MAX = 10_000;

  private final CatchUps catchUps;
  private final Reader reader;
  private final DurableBatches<Job> fallen;

  /**
   * What endpoints are sent from the stream, as far as this process has stored that. It stays true
   * when they have caught up.
   */
  private final LatestUsed<UUID, Covered> covered = new LatestUsed<>(REMEMBERED_MAX);

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
    if (isCovered(job)) {
      reader.left().accept(job);
    } else {
      fallen.add(job, () -> (isCovered(job) ? reader.left() : reader.kept()).accept(job));
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

  private boolean isCovered(Job job) {
    Delivery delivery = job.delivery();
    Covered known = covered.get(delivery.endpointId());
    return known != null && known.contains(delivery.position());
  }

  private Future<Void> store(List<Job> jobs) {
    Map<UUID, Long> positions = new HashMap<>();
    for (Job job : jobs) {
      positions.merge(job.delivery().endpointId(), job.delivery().position(), Math::min);
    }
    return catchUps
        .fallBehind(positions)
        .onSuccess(known -> {
          known.forEach(covered::put);
          reader.fell().run();
        })
        .mapEmpty();
  }
}
