package io.egress.dispatcher.deliver;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Gives a worker an event loop of its own. */
public final class DeliveryVerticle extends VerticleBase {
  private final SharedParts shared;
  private final WorkerSettings bounds;
  private final Set<String> topics;
  private @Nullable DeliveryWorker worker;

  /** {@code topics} are all that deliveries may be found in, those of former schedules too. */
  public DeliveryVerticle(SharedParts shared, WorkerSettings bounds, Set<String> topics) {
    this.shared = requireNonNull(shared, "shared is null");
    this.bounds = requireNonNull(bounds, "bounds is null");
    this.topics = Set.copyOf(topics);
  }

  @Override
  public Future<?> start() {
    DeliveryWorker started = new DeliveryWorker(vertx, shared, bounds);
    worker = started;
    return started.start(topics);
  }

  @Override
  public Future<?> stop() {
    return worker == null ? Future.succeededFuture() : worker.close();
  }
}
