package io.egress.dispatcher;

import static java.util.Objects.requireNonNull;

import io.egress.database.DatabasePool;
import io.egress.database.Migrations;
import io.egress.dispatcher.deliver.DeliveryVerticle;
import io.egress.dispatcher.deliver.SharedParts;
import io.egress.dispatcher.deliver.WorkerSettings;
import io.egress.dispatcher.fanout.FanOutLoop;
import io.egress.dispatcher.journal.JournalDays;
import io.egress.dispatcher.send.TrustedAuthorities;
import io.egress.document.DocumentStore;
import io.egress.endpoint.SecretBox;
import io.egress.kafka.Brokers;
import io.egress.kafka.KafkaClients;
import io.egress.kafka.RecordPublisher;
import io.egress.lifecycle.Closing;
import io.egress.outage.BackendWatch;
import io.egress.settings.Settings;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.TrustOptions;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The dispatcher role: fan-out, delivery, retries, backfill. */
public final class DispatcherApp {
  private static final Logger log = LoggerFactory.getLogger(DispatcherApp.class);

  private static final Duration DAYS_MAINTENANCE_PERIOD = Duration.ofHours(1);

  private final Vertx vertx;
  private final Settings settings;
  private final Closing closing;

  private DispatcherApp(Vertx vertx, Settings settings) {
    this.vertx = vertx;
    this.settings = settings;
    this.closing = new Closing(settings.process().shutdownTimeout());
  }

  /** Fails when anything that deliveries need is missing or cannot be reached. */
  public static Future<DispatcherApp> start(Vertx vertx, Settings settings) {
    requireNonNull(vertx, "vertx is null");
    SecretBox secrets = settings.push().secretBox();
    if (secrets == null) {
      return Future.failedFuture(
          new IllegalStateException(
              "EGRESS_SECRET_KEY is required: nothing can be signed without"));
    }
    DispatcherApp app = new DispatcherApp(vertx, settings);
    return app.open(secrets)
        .map(
            up -> {
              log.info("dispatcher is up");
              return app;
            })
        .recover(failure -> app.close().compose(closed -> Future.failedFuture(failure)));
  }

  public Future<Void> close() {
    return closing.close();
  }

  private Future<Void> open(SecretBox secrets) {
    return Migrations.run(vertx, settings.database().url())
        .compose(migrated -> DeliveryTopics.ensure(vertx, settings))
        .compose(
            topics ->
                trust()
                    .compose(
                        trust -> {
                          SharedParts shared = share(secrets, trust);
                          return maintainDays(shared).compose(kept -> deploy(shared, topics));
                        }));
  }

  private Future<TrustOptions> trust() {
    return vertx.executeBlocking(
        () -> TrustedAuthorities.load(settings.dispatcher().extraTrust()), false);
  }

  private SharedParts share(SecretBox secrets, TrustOptions trust) {
    Pool pool =
        DatabasePool.open(
            vertx, settings.database(), Math.max(1, settings.database().poolSize() / 2));
    closing.push("the database pool", pool::close);
    RecordPublisher publisher =
        new RecordPublisher(vertx, KafkaClients.producer(vertx, settings.kafka()));
    closing.push("the Kafka producer", publisher::close);
    watchBackends(pool);
    return new SharedParts(
        settings,
        secrets,
        trust,
        pool,
        new DocumentStore(vertx, pool),
        new JournalDays(Clock.systemUTC(), settings.dispatcher().logRetention()),
        publisher);
  }

  private void watchBackends(Pool pool) {
    Brokers brokers = new Brokers(vertx, settings.kafka());
    closing.push("the line to the brokers", brokers::close);
    BackendWatch kafka = BackendWatch.start(vertx, "Kafka", brokers::answer);
    closing.push("the watch on Kafka", kafka::close);
    BackendWatch database =
        BackendWatch.start(vertx, "PostgreSQL", () -> pool.query("select 1").execute());
    closing.push("the watch on PostgreSQL", database::close);
  }

  private Future<Void> maintainDays(SharedParts shared) {
    long timer =
        vertx.setPeriodic(
            DAYS_MAINTENANCE_PERIOD.toMillis(),
            hour ->
                shared
                    .days()
                    .maintain(shared.pool())
                    .onFailure(
                        failure ->
                            log.warn("the journal's days were not kept: {}", failure.toString())));
    closing.push(
        "the keeping of days",
        () -> {
          vertx.cancelTimer(timer);
          return Future.succeededFuture();
        });
    return shared.days().maintain(shared.pool());
  }

  private Future<Void> deploy(SharedParts shared, DeliveryTopics topics) {
    int workers = settings.dispatcher().workers();
    WorkerSettings bounds = WorkerSettings.defaults(workers, topics.partitions(), closePatience());
    return vertx
        .deployVerticle(
            () -> new DeliveryVerticle(shared, bounds, topics.read()),
            new DeploymentOptions().setInstances(workers))
        .map(
            id -> {
              closing.push("the delivery workers", () -> vertx.undeploy(id));
              FanOutLoop fanOut =
                  FanOutLoop.start(vertx, shared.pool(), shared.publisher(), settings.kafka());
              closing.push("the fan-out", fanOut::close);
              return null;
            });
  }

  /** Attempts under way may end, unless that would take most of the time there is for stopping. */
  private Duration closePatience() {
    Duration attempt = settings.dispatcher().attemptTimeout().plusSeconds(1);
    Duration half = settings.process().shutdownTimeout().dividedBy(2);
    return attempt.compareTo(half) < 0 ? attempt : half;
  }
}
