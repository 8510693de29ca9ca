package io.egress.api.sweep;

import static java.util.Objects.requireNonNull;

import io.egress.kafka.KafkaClients;
import io.egress.kafka.NeededTopic;
import io.egress.kafka.TopicAdmin;
import io.egress.kafka.Topics;
import io.egress.settings.Settings;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.kafka.client.producer.KafkaProducer;
import io.vertx.sqlclient.Pool;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sweeps the inbox and relays the outbox, at once when woken and by interval otherwise. */
public final class SweepVerticle extends VerticleBase {
  private final Pool pool;
  private final Settings settings;

  private @Nullable KafkaProducer<String, Buffer> producer;
  private @Nullable Recurring sweeping;
  private @Nullable Recurring relaying;
  private boolean topicExists;

  public SweepVerticle(Pool pool, Settings settings) {
    this.pool = requireNonNull(pool, "pool is null");
    this.settings = requireNonNull(settings, "settings is null");
  }

  @Override
  public Future<?> start() {
    String topic = new Topics(settings.kafka().topicPrefix()).capturesProcessed();
    KafkaProducer<String, Buffer> opened = KafkaClients.producer(vertx, settings.kafka());
    producer = opened;
    Outbox outbox = new Outbox(pool, opened, topic);
    Sweeper sweeper = new Sweeper(pool);
    Recurring relay =
        new Recurring(
            vertx,
            context,
            "publishing to " + topic,
            settings.api().sweepInterval(),
            () -> topicExists(topic).compose(exist -> outbox.publish()));
    relaying = relay;
    sweeping =
        new Recurring(
            vertx,
            context,
            "sweeping the inbox",
            settings.api().sweepInterval(),
            () -> sweeper.sweep().onSuccess(moved -> askIfAny(relay, moved)));
    wake();
    return Future.succeededFuture();
  }

  /** May be called from any thread: finished captures are waiting. */
  public void wake() {
    if (sweeping != null) {
      sweeping.ask();
    }
  }

  @Override
  public Future<?> stop() {
    return stopped(sweeping)
        .compose(done -> stopped(relaying))
        .eventually(() -> producer == null ? Future.succeededFuture() : producer.close());
  }

  private Future<Void> topicExists(String topic) {
    if (topicExists) {
      return Future.succeededFuture();
    }
    return TopicAdmin.ensure(vertx, settings.kafka(), List.of(NeededTopic.undelayed(topic)))
        .onSuccess(exists -> topicExists = true);
  }

  private static void askIfAny(Recurring relay, int moved) {
    if (moved > 0) {
      relay.ask();
    }
  }

  private static Future<Void> stopped(@Nullable Recurring recurring) {
    return recurring == null ? Future.succeededFuture() : recurring.stop();
  }
}
