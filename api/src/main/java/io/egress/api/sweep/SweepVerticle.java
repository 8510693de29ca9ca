package io.egress.api.sweep;

import io.egress.api.admin.erasures.BackgroundErasure;
import io.egress.platform.http.Health;
import io.egress.platform.kafka.KafkaClients;
import io.egress.platform.kafka.NeededTopic;
import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.kafka.TopicAdmin;
import io.egress.platform.metrics.Metrics;
import io.egress.settings.Settings;
import io.egress.transcript.document.DocumentStore;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.trace.Tracing;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sweeps the inbox and publishes what it moved, immediately when woken and periodically otherwise;
 * and the work in the background on captures that are in the stream.
 */
public final class SweepVerticle extends VerticleBase {
  /** Added to the statement timeout; Kafka's client gives up within half of it. */
  private static final Duration STANDSTILL_MIN = Duration.ofMinutes(1);

  /** Under load a sweep moves several captures, and so does every later step. */
  private static final Duration SWEEPS_APART = Duration.ofMillis(5);

  /** A rename wakes the revision; the interval takes over after a process that died. */
  private static final Duration REVISION_INTERVAL = Duration.ofSeconds(10);

  private static final Duration RERENDERING_INTERVAL = Duration.ofSeconds(1);

  private static final Duration EXPIRY_INTERVAL = Duration.ofSeconds(30);

  private final Pool pool;
  private final DocumentStore documents;
  private final Settings settings;
  private final SweepMeters meters;
  private final Progress sweepProgress;
  private final Progress relayProgress;

  private @Nullable RecordPublisher publisher;
  private @Nullable Outbox outbox;
  private @Nullable Recurring sweeping;
  private @Nullable Recurring relaying;
  private @Nullable Recurring revising;
  private @Nullable Recurring rerendering;
  private @Nullable Recurring expiring;
  private @Nullable Future<Void> topicExists;

  public SweepVerticle(Pool pool, DocumentStore documents, Settings settings, Metrics metrics) {
    this.pool = pool;
    this.documents = documents;
    this.settings = settings;
    this.meters = new SweepMeters(metrics);
    this.sweepProgress = new Progress(standstillMax(), Health.State.DOWN);
    this.relayProgress = new Progress(standstillMax(), Health.State.AWAY);
  }

  private Duration standstillMax() {
    return STANDSTILL_MIN
        .plus(settings.database().timeouts().statement())
        .plus(settings.api().sweepInterval());
  }

  @Override
  public Future<?> start() {
    RecordPublisher opened =
        new RecordPublisher(vertx, KafkaClients.producer(vertx, settings.kafka()));
    publisher = opened;
    CapturePublisher captures = new CapturePublisher(opened, topic(), Tracing.of(vertx));
    Outbox owed = new Outbox(vertx, pool, captures, this::published);
    outbox = owed;
    Recurring relay =
        new Recurring(
            vertx,
            context,
            "publishing to " + topic(),
            new Recurring.Rhythm(settings.api().sweepInterval(), Duration.ZERO),
            relayProgress,
            () -> topicExists().compose(exists -> owed.publishLeft()));
    relaying = relay;
    Sweeper sweeper = new Sweeper(pool, this::publish);
    sweeping =
        new Recurring(
            vertx,
            context,
            "sweeping the inbox",
            new Recurring.Rhythm(settings.api().sweepInterval(), SWEEPS_APART),
            sweepProgress,
            sweeper::sweep);
    revising =
        new Recurring(
            vertx,
            context,
            "revising renamed captures",
            new Recurring.Rhythm(REVISION_INTERVAL, Duration.ZERO),
            new Progress(standstillMax(), Health.State.DOWN),
            new Revisions(pool)::reviseAll);
    rerendering =
        new Recurring(
            vertx,
            context,
            "rendering documents again",
            new Recurring.Rhythm(RERENDERING_INTERVAL, Duration.ZERO),
            new Progress(standstillMax(), Health.State.DOWN),
            new Rerendering(pool, documents)::run);
    expiring =
        new Recurring(
            vertx,
            context,
            "erasing what is older than its retention or has ended",
            new Recurring.Rhythm(EXPIRY_INTERVAL, Duration.ZERO),
            new Progress(standstillMax(), Health.State.DOWN),
            new BackgroundErasure(pool, settings.api().retention())::run);
    relay.ask();
    wake();
    wakeRevision();
    return Future.succeededFuture();
  }

  /** Call with what another transaction has moved into the stream. Thread-safe. */
  public void entered(List<OwedRecord> moved) {
    context.runOnContext(called -> publish(moved));
  }

  /** Call when finished captures are waiting. Thread-safe. */
  public void wake() {
    if (sweeping != null) {
      sweeping.ask();
    }
  }

  /** Call when captures of a renamed device or member are waiting to be revised. Thread-safe. */
  public void wakeRevision() {
    if (revising != null) {
      revising.ask();
    }
  }

  /** Call when a workspace has ended. Thread-safe. */
  public void wakeErasing() {
    if (expiring != null) {
      expiring.ask();
    }
  }

  public Health.State sweepState() {
    return sweepProgress.state();
  }

  /** {@code AWAY} while Kafka does not accept records; the outbox keeps them. */
  public Health.State relayState() {
    return relayProgress.state();
  }

  @Override
  public Future<?> stop() {
    return Future.join(stopped(revising), stopped(rerendering), stopped(expiring))
        .compose(done -> stopped(sweeping))
        .compose(done -> stopped(relaying))
        .compose(done -> outbox == null ? Future.succeededFuture() : outbox.close())
        .eventually(() -> publisher == null ? Future.succeededFuture() : publisher.close());
  }

  private void publish(List<OwedRecord> moved) {
    sweepProgress.moved();
    meters.entered(moved);
    Outbox owed = outbox;
    if (owed != null) {
      topicExists().onSuccess(exists -> owed.publish(moved));
    }
  }

  private void published(List<OwedRecord> captures) {
    relayProgress.moved();
    meters.published(captures);
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

  private static Future<Void> stopped(@Nullable Recurring recurring) {
    return recurring == null ? Future.succeededFuture() : recurring.stop();
  }
}
