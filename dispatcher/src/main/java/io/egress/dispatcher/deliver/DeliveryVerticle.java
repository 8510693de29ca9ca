package io.egress.dispatcher.deliver;

import static java.util.Objects.requireNonNull;

import io.egress.dispatcher.supervise.MemberSupervisor;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs one delivery worker on an event loop. */
public final class DeliveryVerticle extends VerticleBase {
  private final SharedParts shared;
  private final WorkerSettings bounds;
  private final Set<String> topics;
  private @Nullable MemberSupervisor supervisor;

  /** {@code topics} are all that may hold deliveries, including those of former schedules. */
  public DeliveryVerticle(SharedParts shared, WorkerSettings bounds, Set<String> topics) {
    this.shared = requireNonNull(shared, "shared is null");
    this.bounds = requireNonNull(bounds, "bounds is null");
    this.topics = Set.copyOf(topics);
  }

  @Override
  public Future<?> start() {
    supervisor =
        new MemberSupervisor(
            vertx,
            shared.supervision().restarts(),
            shared.supervision().backends(),
            stalled -> new DeliveryWorker(vertx, shared, bounds, topics, stalled));
    return supervisor.start(context);
  }

  @Override
  public Future<?> stop() {
    return supervisor == null ? Future.succeededFuture() : supervisor.stop();
  }
}
