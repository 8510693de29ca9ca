package io.egress.dispatcher.deliver;

import io.egress.dispatcher.documents.DocumentCache;
import io.egress.dispatcher.metrics.DeliveryMeters;
import io.egress.dispatcher.metrics.WorkerStates;
import io.egress.dispatcher.pause.FailingEndpoints;
import io.egress.dispatcher.supervise.BackendWait;
import io.egress.dispatcher.supervise.MemberSupervisor;
import io.egress.dispatcher.supervise.Restarts;
import io.egress.platform.backend.DatabaseState;
import io.egress.platform.kafka.RecordPublisher;
import io.egress.settings.Settings;
import io.egress.transcript.document.DocumentStore;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.send.WebhookSender;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs one delivery worker on an event loop. */
public final class DeliveryVerticle extends VerticleBase {
  /** Shared by the workers of a process. */
  public record Dependencies(
      Settings settings,
      SecretBox secrets,
      WebhookSender sender,
      Pool pool,
      Clock clock,
      DocumentStore documents,
      DocumentCache heads,
      LogDays days,
      RecordPublisher publisher,
      DeliveryMeters meters,
      FailingEndpoints failing,
      WorkerStates workers,
      Supervision supervision) {
    /**
     * When workers are restarted, how often they were, and whether they may work.
     *
     * @param database its state as of the last probe
     */
    public record Supervision(
        Restarts restarts, BackendWait backends, Supplier<DatabaseState> database) {}

    Topics topics() {
      return new Topics(settings.kafka().topicPrefix());
    }

    DeliveryLog deliveryLog() {
      return new DeliveryLog(pool, days);
    }
  }

  private final Dependencies shared;
  private final WorkerSettings bounds;
  private final Set<String> topics;
  private @Nullable MemberSupervisor supervisor;

  /** {@code topics} are all that may contain deliveries, including those of former schedules. */
  public DeliveryVerticle(Dependencies shared, WorkerSettings bounds, Set<String> topics) {
    this.shared = shared;
    this.bounds = bounds;
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
