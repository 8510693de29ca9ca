package io.egress.api.relay;

import io.egress.platform.http.Health;
import io.egress.platform.kafka.KafkaClients;
import io.egress.platform.kafka.NeededTopic;
import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.kafka.TopicAdmin;
import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.metrics.Metrics;
import io.egress.settings.Settings;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.trace.Tracing;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Publishes what enters the stream: at once what this process has added, and what was left. */
public final class RelayVerticle extends VerticleBase {
  /** Added to the statement timeout; Kafka's client gives up within half of it. */
  private static final Duration STANDSTILL_MIN = Duration.ofMinutes(1);

  private final Pool pool;
  private final Settings settings;
  private final Clock clock;
  private final RelayMeters meters;
  private final long standstillMaxNanos;
  private volatile Health.State state = Health.State.UP;
  private volatile long movedNanos = System.nanoTime();

  private @Nullable RecordPublisher publisher;
  private @Nullable Outbox outbox;
  private @Nullable Recurring relaying;
  private @Nullable Future<Void> topicExists;

  public RelayVerticle(Pool pool, Settings settings, Clock clock, Metrics metrics) {
    this.pool = pool;
    this.settings = settings;
    this.clock = clock;
    this.meters = new RelayMeters(metrics, clock);
    this.standstillMaxNanos =
        STANDSTILL_MIN.plus(settings.database().timeouts().statement()).toNanos();
  }

  @Override
  public Future<?> start() {
    RecordPublisher opened =
        new RecordPublisher(vertx, KafkaClients.producer(vertx, settings.kafka()), clock);
    publisher = opened;
    CapturePublisher captures = new CapturePublisher(opened, topic(), Tracing.of(vertx));
    Outbox owed = new Outbox(vertx, pool, captures, this::published);
    outbox = owed;
    relaying =
        new Recurring(vertx, "publishing to " + topic(), () -> publishLeft(owed))
            .nowAndEvery(settings.api().relayInterval());
    return Future.succeededFuture();
  }

  /** Call with what a transaction of this process has added to the stream. Thread-safe. */
  public void entered(List<OwedRecord> added) {
    context.runOnContext(_ -> {
      meters.entered(added);
      Outbox owed = outbox;
      if (owed != null) {
        topicExists().onSuccess(_ -> owed.publish(added));
      }
    });
  }

  /** {@code AWAY} while Kafka does not accept records; the outbox keeps them. Thread-safe. */
  public Health.State state() {
    return System.nanoTime() - movedNanos > standstillMaxNanos ? Health.State.DOWN : state;
  }

  @Override
  public Future<?> stop() {
    return (relaying == null ? Future.succeededFuture() : relaying.stop())
        .compose(_ -> outbox == null ? Future.succeededFuture() : outbox.close())
        .eventually(() -> publisher == null ? Future.succeededFuture() : publisher.close());
  }

  /** On the event loop, to which the outbox belongs. */
  private Future<Void> publishLeft(Outbox owed) {
    Promise<Void> published = Promise.promise();
    context.runOnContext(_ ->
        topicExists()
            .compose(_ -> owed.publishLeft())
            .onSuccess(_ -> reached(Health.State.UP))
            .onFailure(_ -> reached(Health.State.AWAY))
            .<Void>mapEmpty()
            .onComplete(published));
    return published.future();
  }

  private void published(List<OwedRecord> captures) {
    reached(Health.State.UP);
    meters.published(captures);
  }

  private void reached(Health.State now) {
    movedNanos = System.nanoTime();
    state = now;
  }

  private String topic() {
    return new Topics(settings.kafka().topicPrefix()).capturesProcessed();
  }

  private Future<Void> topicExists() {
    Future<Void> exists = topicExists;
    if (exists == null || exists.failed()) {
      exists = TopicAdmin.ensure(vertx, settings.kafka(), List.of(NeededTopic.undelayed(topic())));
      topicExists = exists;
    }
    return exists;
  }
}
