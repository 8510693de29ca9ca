package io.egress.dispatcher.fanout;

import io.egress.dispatcher.supervise.BackendWait;
import io.egress.dispatcher.supervise.MemberSupervisor;
import io.egress.dispatcher.supervise.Restarts;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.metrics.Metrics;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.trace.Tracing;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Publishes a delivery for each endpoint of a capture that entered the stream. */
public final class FanOutVerticle extends VerticleBase {
  /** The dependencies of a worker, and how long it waits for PostgreSQL and Kafka. */
  public record Dependencies(
      KafkaSettings kafka,
      Pool pool,
      Clock clock,
      RecordPublisher publisher,
      Metrics metrics,
      BackendWait backends,
      Duration stallTimeout) {}

  private final Dependencies dependencies;
  private final Topics topics;
  private final Restarts restarts;
  private volatile @Nullable FanOutWorker worker;
  private @Nullable MemberSupervisor supervisor;

  public FanOutVerticle(Dependencies dependencies) {
    this.dependencies = dependencies;
    this.topics = new Topics(dependencies.kafka().topicPrefix());
    this.restarts = new Restarts(dependencies.metrics(), "fan_out");
  }

  @Override
  public Future<?> start() {
    FanOut fanOut =
        new FanOut(
            dependencies.pool(),
            dependencies.publisher(),
            topics,
            new FanOutMeters(dependencies.metrics(), dependencies.clock()),
            Tracing.of(vertx));
    supervisor =
        new MemberSupervisor(
            vertx,
            restarts,
            dependencies.backends(),
            stalled -> {
              FanOutWorker begun =
                  new FanOutWorker(
                      vertx,
                      new FanOutWorker.Source(
                          dependencies.kafka(), topics, restarts.replacedLately()),
                      fanOut,
                      dependencies.stallTimeout(),
                      stalled);
              worker = begun;
              return begun;
            });
    return supervisor.start(context);
  }

  @Override
  public Future<?> stop() {
    return supervisor == null ? Future.succeededFuture() : supervisor.stop();
  }

  /** Reads replaced topics from their beginning. Thread-safe. */
  public void replaced(Set<String> replacedTopics) {
    restarts.replaced(replacedTopics);
  }

  /** Whether the consumer has polled within {@code max}. Thread-safe. */
  public boolean polls(Duration max) {
    FanOutWorker current = worker;
    return current != null && current.sinceLastPoll().compareTo(max) <= 0;
  }
}
