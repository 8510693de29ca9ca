package io.egress.dispatcher;

import io.egress.dispatcher.deliver.DeliveryVerticle;
import io.egress.dispatcher.deliver.WorkerSettings;
import io.egress.dispatcher.documents.DocumentCache;
import io.egress.dispatcher.fanout.FanOutVerticle;
import io.egress.dispatcher.metrics.ConsumerLag;
import io.egress.dispatcher.metrics.DeliveryMeters;
import io.egress.dispatcher.metrics.WorkerStates;
import io.egress.dispatcher.notice.NoticeSender;
import io.egress.dispatcher.notice.OperatorNotices;
import io.egress.dispatcher.notice.ReaderWatch;
import io.egress.dispatcher.pause.FailingEndpoints;
import io.egress.dispatcher.reconcile.QueueRebuild;
import io.egress.dispatcher.reconcile.QueueWatch;
import io.egress.dispatcher.reconcile.Reconciler;
import io.egress.dispatcher.reconcile.Republisher;
import io.egress.dispatcher.supervise.BackendWait;
import io.egress.dispatcher.supervise.Restarts;
import io.egress.dispatcher.turn.TurnPublisher;
import io.egress.platform.backend.BackendProbes;
import io.egress.platform.database.Database;
import io.egress.platform.database.SessionLimits;
import io.egress.platform.http.Health;
import io.egress.platform.http.Listener;
import io.egress.platform.http.ListenerLimits;
import io.egress.platform.http.Monitoring;
import io.egress.platform.http.RequestLog;
import io.egress.platform.kafka.KafkaClients;
import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.lifecycle.Closing;
import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.metrics.Metrics;
import io.egress.settings.FailingSettings.OperatorWebhook;
import io.egress.settings.Settings;
import io.egress.transcript.document.DocumentStore;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.send.NameLookup;
import io.egress.webhook.send.SenderSettings;
import io.egress.webhook.send.TlsEngine;
import io.egress.webhook.send.TrustedAuthorities;
import io.egress.webhook.send.WebhookSender;
import io.egress.webhook.turn.DuePages;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.TrustOptions;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The dispatcher role: fan-out, delivery, retries, backfill. */
public final class DispatcherApp {
  private static final Logger log = LoggerFactory.getLogger(DispatcherApp.class);

  private static final String ROLE = "dispatcher";

  /** Longer than a hand-over may block a consumer. */
  private static final Duration POLL_PERIOD_MAX = Duration.ofSeconds(20);

  private static final long HEADS_BYTES_MAX = 32L << 20;

  /** Added to the timeout of an attempt. */
  private static final Duration STANDSTILL_MIN = Duration.ofMinutes(1);

  private final Vertx vertx;
  private final Settings settings;
  private final Monitoring monitoring;
  private final Database database;
  private final Closing closing;
  private @Nullable Listener listener;

  private DispatcherApp(Vertx vertx, Settings settings, Monitoring monitoring) {
    this.vertx = vertx;
    this.settings = settings;
    this.monitoring = monitoring;
    this.database = Database.of(vertx, settings.database());
    this.closing = new Closing(settings.process().shutdownTimeout());
  }

  /**
   * Fails if a dependency is missing or unreachable. Opens the internal listener with health and
   * metrics.
   */
  public static Future<DispatcherApp> start(Vertx vertx, Settings settings) {
    DispatcherApp app = new DispatcherApp(vertx, settings, Monitoring.of(vertx));
    app.closing.pushSync("the monitoring", app.monitoring::close);
    return app.start(app::listen);
  }

  /** For a process that runs several roles, with their shared internal listener. */
  public static Future<DispatcherApp> start(Vertx vertx, Settings settings, Monitoring monitoring) {
    return new DispatcherApp(vertx, settings, monitoring).start(Future::succeededFuture);
  }

  /** The port of health and metrics, if the dispatcher has its own listener. */
  public OptionalInt internalPort() {
    return listener == null ? OptionalInt.empty() : OptionalInt.of(listener.port());
  }

  public Future<Void> close() {
    return closing.close();
  }

  private Future<DispatcherApp> start(Supplier<Future<Void>> listen) {
    SecretBox secrets = settings.push().secretBox();
    if (secrets == null) {
      return Future.failedFuture(
          new IllegalStateException("EGRESS_SECRET_KEY is required to sign webhooks"));
    }
    return open(secrets)
        .compose(_ -> listen.get())
        .map(_ -> {
          log.info("dispatcher is up{}", listener == null ? "" : ": port " + listener.port());
          return this;
        })
        .recover(failure -> close().compose(_ -> Future.failedFuture(failure)));
  }

  private Future<Void> listen() {
    return Listener.open(
            vertx,
            settings.internalListener(),
            1,
            new ListenerLimits(
                settings.process().shutdownTimeout(),
                settings.process().idleTimeout(),
                Duration.ZERO),
            new RequestLog(settings.process().log().access()),
            monitoring.routes())
        .map(opened -> {
          listener = opened;
          closing.pushLimited("the internal listener", opened::close);
          return null;
        });
  }

  private Future<Void> open(SecretBox secrets) {
    return database
        .migrate()
        .compose(_ -> DeliveryTopics.ensure(vertx, settings))
        .compose(topics ->
            trust()
                .compose(trust -> {
                  BackendProbes probes = probes();
                  DeliveryVerticle.Dependencies shared = share(secrets, trust, topics, probes);
                  return SessionLimits.require(vertx, shared.pool(), settings.database())
                      .compose(_ -> probes.databaseAsked())
                      .compose(_ -> maintainLog(shared.days()))
                      .onSuccess(_ -> keepUpSchema(shared))
                      .onSuccess(_ -> watchCertificates(shared.pool()))
                      .onSuccess(_ -> sendNotices(shared.pool(), trust))
                      .onSuccess(_ -> watchReaders(shared.pool()))
                      .compose(_ -> deploy(shared, topics, probes));
                }));
  }

  private Future<TrustOptions> trust() {
    return vertx.executeBlocking(
        () -> {
          TlsEngine.load();
          return TrustedAuthorities.load(settings.dispatcher().extraTrust());
        },
        false);
  }

  private BackendProbes probes() {
    BackendProbes probes =
        BackendProbes.open(vertx, database, settings.kafka(), monitoring.metrics(), ROLE);
    closing.push("the backend probes", probes::close);
    return probes;
  }

  private DeliveryVerticle.Dependencies share(
      SecretBox secrets, TrustOptions trust, DeliveryTopics topics, BackendProbes probes) {
    Pool pool = database.pool("dispatcher", Math.max(1, settings.database().poolSize() / 2));
    closing.push("the database pool", pool::close);
    RecordPublisher publisher =
        new RecordPublisher(
            vertx, KafkaClients.producer(vertx, settings.kafka()), database.clock());
    closing.push("the Kafka producer", publisher::close);
    return new DeliveryVerticle.Dependencies(
        settings,
        secrets,
        sender(trust),
        pool,
        database.clock(),
        new DocumentStore(vertx, pool, monitoring.metrics()),
        new DocumentCache(HEADS_BYTES_MAX),
        new LogDays(database.clock(), settings.dispatcher().logRetention()),
        publisher,
        new DeliveryMeters(monitoring.metrics(), settings.dispatcher().retrySchedule()),
        failing(pool),
        new WorkerStates(monitoring.metrics(), topics.stages(settings)),
        new DeliveryVerticle.Dependencies.Supervision(
            new Restarts(monitoring.metrics(), "delivery"),
            new BackendWait(vertx, probes.databaseWrites(), probes.kafkaWrites()),
            probes::database));
  }

  private FailingEndpoints failing(Pool pool) {
    return new FailingEndpoints(
        pool,
        database.clock(),
        settings.dispatcher().failing().pauseAfter(),
        monitoring
            .metrics()
            .counter(
                "egress_endpoints_paused_total",
                "endpoints paused because all attempts had failed for EGRESS_PAUSE_FAILING_AFTER"),
        notices());
  }

  private OperatorNotices notices() {
    return new OperatorNotices(
        settings.dispatcher().failing().operator() != null, settings.api().portal());
  }

  private void sendNotices(Pool pool, TrustOptions trust) {
    Counter givenUp =
        monitoring
            .metrics()
            .counter(
                "egress_operator_notices_given_up_total",
                "notices that EGRESS_OPERATOR_WEBHOOK_URL did not accept");
    OperatorWebhook operator = settings.dispatcher().failing().operator();
    if (operator != null) {
      NoticeSender sender =
          new NoticeSender(
              vertx,
              pool,
              database.clock(),
              operator,
              settings.dispatcher().retrySchedule(),
              trust,
              givenUp);
      closing.pushSync("the notices to the operator", sender::close);
    }
  }

  private void watchReaders(Pool pool) {
    Recurring watch = ReaderWatch.start(vertx, pool, notices(), monitoring.metrics());
    closing.push("the watch over readers", watch::stop);
  }

  private WebhookSender sender(TrustOptions trust) {
    WebhookSender sender =
        new WebhookSender(
            vertx,
            SenderSettings.of(
                settings.dispatcher().attemptTimeout(),
                settings.push().proxy(),
                settings.push().clientCertificate()),
            settings.push().addressPolicy(),
            NameLookup.using(vertx),
            trust);
    closing.push("the sender", sender::close);
    monitoring
        .metrics()
        .gauge(
            "egress_receiver_connections",
            "open HTTP connections to receivers",
            sender::openConnections);
    return sender;
  }

  private void watchCertificates(Pool pool) {
    CertificateExpiry expiry =
        new CertificateExpiry(vertx, pool, settings.push().clientCertificate(), Clock.systemUTC());
    closing.pushSync("the client certificates", expiry::close);
    expiry.register(monitoring.metrics());
  }

  private void keepUpSchema(DeliveryVerticle.Dependencies shared) {
    database
        .upkeep(shared.pool())
        .ifPresent(upkeep -> closing.push("the upkeep of the schema", upkeep::close));
  }

  /**
   * As the owner of the tables, on a connection of its own. Deliveries begin even if it fails: the
   * days that they need may exist.
   */
  private Future<Void> maintainLog(LogDays days) {
    Pool pool = database.owner().orElseThrow().pool("maintenance", 1);
    closing.push("the pool maintenance", pool::close);
    return SessionLimits.require(vertx, pool, settings.database())
        .compose(_ -> maintainLog(days, pool));
  }

  private Future<Void> maintainLog(LogDays days, Pool pool) {
    LogMaintenance maintenance = new LogMaintenance(pool, days);
    Recurring runs = maintenance.start(vertx);
    closing.push("the maintenance of the delivery log", runs::stop);
    database.clock().onLeap(runs::ask);
    monitoring
        .metrics()
        .gauge(
            "egress_delivery_log_maintenance_failures",
            "failed runs in a row of the maintenance of the delivery log's days",
            maintenance::failures);
    monitoring.health().part().add(new Health.Check("delivery_log", maintenance::state));
    return maintenance.begun();
  }

  private Future<Void> deploy(
      DeliveryVerticle.Dependencies shared, DeliveryTopics topics, BackendProbes probes) {
    WorkerSettings bounds = WorkerSettings.defaults(settings.dispatcher(), topics.partitions());
    return vertx
        .deployVerticle(new DeliveryVerticle(shared, bounds, topics.read()))
        .compose(id -> {
          closing.push("the delivery workers", () -> vertx.undeploy(id));
          return deployFanOut(shared);
        })
        .map(fanOut -> {
          reconcile(shared, fanOut, topics, probes);
          watch(shared, fanOut, topics, probes);
          return null;
        });
  }

  private Future<FanOutVerticle> deployFanOut(DeliveryVerticle.Dependencies shared) {
    Recurring turnPublisher =
        TurnPublisher.start(
            vertx,
            new DuePages(shared.pool()),
            shared.publisher(),
            new Topics(settings.kafka().topicPrefix()));
    closing.push("the search for pages that are due", turnPublisher::stop);
    FanOutVerticle fanOut =
        new FanOutVerticle(
            new FanOutVerticle.Dependencies(
                settings.kafka(),
                shared.pool(),
                shared.clock(),
                shared.publisher(),
                monitoring.metrics(),
                shared.supervision().backends(),
                settings.dispatcher().stallTimeout()));
    return vertx
        .deployVerticle(fanOut)
        .map(id -> {
          closing.push("the fan-out", () -> vertx.undeploy(id));
          return fanOut;
        });
  }

  private void reconcile(
      DeliveryVerticle.Dependencies shared,
      FanOutVerticle fanOut,
      DeliveryTopics read,
      BackendProbes probes) {
    Metrics metrics = monitoring.metrics();
    Republisher republisher =
        new Republisher(
            shared.publisher(),
            new Topics(settings.kafka().topicPrefix()),
            metrics.counter(
                "egress_deliveries_reconciled_total",
                "deliveries published again because Kafka may have lost their record"));
    Duration logRetention = settings.dispatcher().logRetention();
    Reconciler reconciler =
        new Reconciler(
            vertx,
            shared.pool(),
            republisher,
            new Reconciler.Rhythm(settings.dispatcher().reconcileAfter(), logRetention));
    closing.push("the reconciler", reconciler::close);
    QueueRebuild rebuild = new QueueRebuild(vertx, shared.pool(), republisher, logRetention);
    closing.pushSync("the rebuild of the queue", rebuild::close);
    metrics.gauge(
        "egress_queue_rebuilding",
        "1 while the queue is being rebuilt, otherwise 0",
        () -> rebuild.isRunning() ? 1 : 0);
    watchQueue(shared, fanOut, read, probes);
  }

  private void watchQueue(
      DeliveryVerticle.Dependencies shared,
      FanOutVerticle fanOut,
      DeliveryTopics read,
      BackendProbes probes) {
    QueueWatch watch =
        new QueueWatch(
            vertx,
            probes.brokers(),
            shared.pool(),
            new QueueWatch.Needed(
                new Topics(settings.kafka().topicPrefix()),
                read.read(),
                read.weaknesses(),
                () -> DeliveryTopics.ensure(vertx, settings)),
            replaced -> {
              shared.supervision().restarts().replaced(replaced);
              fanOut.replaced(replaced);
            },
            notices(),
            monitoring
                .metrics()
                .counter(
                    "egress_queue_lost_total",
                    "times that Kafka was found to have lost the queue"));
    closing.pushSync("the watch over the queue", watch::close);
  }

  private void watch(
      DeliveryVerticle.Dependencies shared,
      FanOutVerticle fanOut,
      DeliveryTopics topics,
      BackendProbes probes) {
    WorkerStates workers = shared.workers();
    Restarts restarts = shared.supervision().restarts();
    Duration standstill = STANDSTILL_MIN.plus(settings.dispatcher().attemptTimeout());
    ConsumerLag lag = topics.lag(vertx, settings, probes.brokers(), monitoring.metrics());
    closing.pushSync("the lag metrics", lag::close);
    Health health = monitoring.health().part();
    health.add(Health.Check.required("database", probes::databaseUp));
    health.add(Health.Check.required("kafka", probes::kafkaUp));
    health.add(Health.Check.required("workers", () -> workers.poll(POLL_PERIOD_MAX)));
    health.add(
        Health.Check.required(
            "deliveries", () -> !restarts.areRepeated() && workers.progressWithin(standstill)));
    health.add(Health.Check.required("fan_out", () -> fanOut.polls(POLL_PERIOD_MAX)));
  }
}
