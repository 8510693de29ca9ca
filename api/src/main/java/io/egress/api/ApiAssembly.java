package io.egress.api;

import io.egress.api.admin.Operations;
import io.egress.api.admin.database.DatabaseCalls;
import io.egress.api.admin.endpoints.PublicKeys;
import io.egress.api.admin.keys.KeyUse;
import io.egress.api.background.BackgroundWork;
import io.egress.api.call.Calls;
import io.egress.api.call.KnownParameters;
import io.egress.api.hook.Hook;
import io.egress.api.metrics.EndpointsBehind;
import io.egress.api.metrics.FailingWorkspaces;
import io.egress.api.metrics.OutboxBacklog;
import io.egress.api.portal.Portal;
import io.egress.api.portal.QueueRebuilds;
import io.egress.api.portal.ServiceTroubles;
import io.egress.api.portal.access.PortalAccess;
import io.egress.api.portal.access.PortalAddress;
import io.egress.api.pull.PullHandler;
import io.egress.api.pull.PullStore;
import io.egress.api.pull.WaitingPulls;
import io.egress.api.relay.RelayVerticle;
import io.egress.platform.backend.BackendProbes;
import io.egress.platform.backend.DatabaseState;
import io.egress.platform.database.Database;
import io.egress.platform.database.DatabaseSettings;
import io.egress.platform.database.DatabaseUrl;
import io.egress.platform.database.SessionLimits;
import io.egress.platform.database.Standby;
import io.egress.platform.flow.ByteBudget;
import io.egress.platform.flow.Patience;
import io.egress.platform.http.Health;
import io.egress.platform.http.Listener;
import io.egress.platform.http.ListenerLimits;
import io.egress.platform.http.ListenerSettings;
import io.egress.platform.http.Monitoring;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.RequestLog;
import io.egress.platform.http.Routes;
import io.egress.platform.lifecycle.Closing;
import io.egress.settings.ApiSettings;
import io.egress.settings.Settings;
import io.egress.transcript.document.DocumentRenderer;
import io.egress.transcript.document.DocumentStore;
import io.egress.webhook.send.NameLookup;
import io.egress.webhook.send.SenderSettings;
import io.egress.webhook.send.TlsEngine;
import io.egress.webhook.send.TrustedAuthorities;
import io.egress.webhook.send.WebhookSender;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.TrustOptions;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The composition root of the api role. */
final class ApiAssembly {
  private static final Logger log = LoggerFactory.getLogger(ApiApp.class);
  private static final int PULLS_WAITING_MAX = 5_000;
  private static final int HOOKS_WAITING_MAX = 5_000;
  private static final int MEASURING_CONNECTIONS = 1;

  private static final int EVENT_LOOPS = Runtime.getRuntime().availableProcessors();

  private record Backends(Health health, BackendProbes probes, EndpointsBehind behind) {
    /** The answer to calls that may write. */
    Optional<Refusal> takesNoWrites() {
      return unless(probes.databaseUp());
    }

    /** The answer to calls that only read. */
    Optional<Refusal> isUnreadable() {
      return unless(probes.database() != DatabaseState.UNAVAILABLE);
    }

    private static Optional<Refusal> unless(boolean available) {
      return available
          ? Optional.empty()
          : Optional.of(new Refusal(503, "the database is unavailable, try again"));
    }
  }

  private final Vertx vertx;
  private final Settings settings;
  private final Monitoring monitoring;
  private final DocumentRenderer renderer;
  private final Closing closing;

  private final Database database;

  /** Pulls have a connection pool of their own, so they never delay the hook. */
  private final Pool pullPool;

  private final Pool pool;
  private final Pool waitingPool;

  /** Administration has its own, too: its calls wait for each other and for nobody else. */
  private final Pool administration;

  /**
   * For metrics and verifications: their statements may wait for a lock, or are many, and nothing
   * else waits for them.
   */
  private final Pool measuring;

  /** Connected only while the others find no server that takes writes. */
  private final Pool anyServer;

  ApiAssembly(
      Vertx vertx,
      Settings settings,
      Monitoring monitoring,
      DocumentRenderer renderer,
      Closing closing) {
    this.vertx = vertx;
    this.settings = settings;
    this.monitoring = monitoring;
    this.renderer = renderer;
    this.closing = closing;
    this.database = Database.of(vertx, settings.database());
    this.pullPool = pool("pull", pullConnections());
    this.administration = pool("administration", administrationConnections());
    this.pool = pool("hook", connections() - pullConnections() - administrationConnections());
    this.waitingPool = pool("waiting_pulls", WaitingPulls.CONNECTIONS);
    this.measuring = pool("measuring", MEASURING_CONNECTIONS);
    this.anyServer = database.poolOfAnyServer("any_server", 1);
    closing.push("the pool any_server", anyServer::close);
  }

  private int connections() {
    return settings.database().poolSize()
        - BackendProbes.CONNECTIONS
        - WaitingPulls.CONNECTIONS
        - MEASURING_CONNECTIONS;
  }

  private int pullConnections() {
    return (connections() - administrationConnections()) / 2;
  }

  private int administrationConnections() {
    return Math.max(1, connections() / 6);
  }

  private Pool pool(String name, int size) {
    Pool opened = database.pool(name, size);
    closing.push("the pool " + name, opened::close);
    return opened;
  }

  /** If this fails, everything opened so far is closed again. */
  Future<ApiApp> start() {
    return database
        .migrateOrWait()
        .compose(_ -> SessionLimits.require(vertx, pool, settings.database()))
        .compose(_ -> trust())
        .compose(this::openParts)
        .recover(failure -> closing.close().compose(_ -> Future.failedFuture(failure)));
  }

  private Future<TrustOptions> trust() {
    return vertx.executeBlocking(
        () -> {
          TlsEngine.load();
          return TrustedAuthorities.load(settings.dispatcher().extraTrust());
        },
        false);
  }

  private Future<ApiApp> openParts(TrustOptions trust) {
    database
        .upkeep(pool)
        .ifPresent(upkeep -> closing.push("the upkeep of the schema", upkeep::close));
    DocumentStore documents = new DocumentStore(vertx, pullPool, monitoring.metrics(), renderer);
    KeyUse keyUse = new KeyUse(vertx, administration, database.clock());
    closing.push("the record of used keys", keyUse::close);
    RelayVerticle relay = new RelayVerticle(pool, settings, database.clock(), monitoring.metrics());
    WebhookSender sender = sender(trust);
    BackendProbes probes =
        BackendProbes.open(vertx, database, settings.kafka(), monitoring.metrics(), "api");
    closing.push("the backend probes", probes::close);
    Backends backends = watch(probes, relay);
    Standby standby = standby(probes, backends.health);
    PullStore pulls = new PullStore(pullPool, documents, standby, monitoring.metrics());
    return vertx
        .deployVerticle(relay)
        .onSuccess(id -> closing.push("the relay", () -> vertx.undeploy(id)))
        .compose(_ -> backends.probes.databaseAsked())
        .compose(_ -> listeners(documents, pulls, keyUse, relay, backends, sender));
  }

  /** Sends test webhooks. The dispatcher has its own sender for deliveries. */
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
    return sender;
  }

  /** Pulls and hooks work without Kafka: the outbox keeps what has to be published. */
  private Backends watch(BackendProbes probes, RelayVerticle relay) {
    OutboxBacklog backlog = new OutboxBacklog(vertx, measuring, monitoring.metrics());
    closing.pushSync("the backlog metrics", backlog::close);
    EndpointsBehind behind =
        new EndpointsBehind(
            vertx,
            measuring,
            database.clock(),
            monitoring.metrics(),
            settings.dispatcher().logRetention());
    closing.pushSync("the lateness metrics", behind::close);
    FailingWorkspaces failing = new FailingWorkspaces(vertx, measuring, monitoring.metrics());
    closing.pushSync("the metrics of failing endpoints", failing::close);
    Health health = monitoring.health().part();
    health.add(Health.Check.required("database", probes::databaseUp));
    health.add(Health.Check.optional("kafka", () -> !probes.isKafkaAway()));
    health.add(new Health.Check("relay", relay::state));
    return new Backends(health, probes, behind);
  }

  /** For pages, with as many connections as pulls have to the primary; null if there is none. */
  private @Nullable Standby standby(BackendProbes probes, Health health) {
    Standby standby = database.standby("standby_pull", pullConnections(), probes.reading());
    if (standby != null) {
      closing.push("the standby", standby::close);
      health.add(Health.Check.optional("standby", () -> standby.unfit().isEmpty()));
    }
    monitoring
        .metrics()
        .gauge(
            "egress_standby_lag_seconds",
            "how far the standby that pages are read from is behind at most; 0 without one",
            () -> standby == null ? 0 : standby.secondsBehind());
    return standby;
  }

  private Future<ApiApp> listeners(
      DocumentStore documents,
      PullStore pulls,
      KeyUse keyUse,
      RelayVerticle relay,
      Backends backends,
      WebhookSender sender) {
    ApiSettings api = settings.api();
    api.memory()
        .problem(Runtime.getRuntime().maxMemory())
        .ifPresent(problem -> log.warn("Memory may run out: {}", problem));
    BackgroundWork background =
        new BackgroundWork(
            vertx,
            administration,
            documents,
            api.retention(),
            settings.dispatcher().logRetention());
    closing.push("the background work", background::stop);
    Administrative administrative = administrative(documents, background, sender, backends);
    Routes internal = internal(administrative, hook(documents, relay, background), backends);
    Routes pages = administrative.portal().routes();
    WaitingPulls waiting = waitingPulls();
    Routes external = external(pullHandler(pulls, keyUse, waiting), backends);
    return open(internal, pages, external, waiting);
  }

  private Future<ApiApp> open(
      Routes internal, Routes pages, Routes external, WaitingPulls waiting) {
    ApiSettings api = settings.api();
    return open(
            "the internal listener",
            settings.internalListener(),
            Duration.ZERO,
            new Routes().and(internal).and(pages))
        .compose(internalListener ->
            open(
                    "the public listener",
                    api.publicListener(),
                    api.pullStallTimeout().multipliedBy(2).plus(api.memoryWait()),
                    external)
                .map(publicListener -> {
                  closing.pushSync("the pulls that wait", waiting::close);
                  log.info(
                      "api is up: public port {}, internal port {}",
                      publicListener.port(),
                      internalListener.port());
                  return new ApiApp(
                      closing,
                      publicListener.port(),
                      internalListener.port(),
                      external.and(internal),
                      pages);
                }));
  }

  private Routes internal(Administrative administrative, Hook hook, Backends backends) {
    Calls calls = administrative.calls();
    return monitoring
        .routes()
        .guard("/internal/", new InternalAccess(settings.internalTokens()))
        .and(ApiRoutes.internalDescription())
        .and(
            ApiRoutes.diagnosis(
                calls,
                new DatabaseCalls(
                    pullPool,
                    anyServer,
                    DatabaseUrl.parse(settings.database().url()).hosts(),
                    () -> backends.isUnreadable().isPresent())))
        .and(
            KnownParameters.describedBy(ApiRoutes.INTERNAL_DESCRIPTION)
                .only(ApiRoutes.hook(hook).and(administrative.routes().routes(calls)))
                .unless(backends::takesNoWrites));
  }

  private Routes external(PullHandler pull, Backends backends) {
    return backends
        .health
        .routes()
        .guard("/internal/", ApiRoutes::notHere)
        .guard("/portal/", ApiRoutes::notHere)
        .and(ApiRoutes.externalDescription())
        .and(ApiRoutes.external(pull, new PublicKeys(pullPool)).unless(backends::isUnreadable));
  }

  private Hook hook(DocumentStore documents, RelayVerticle relay, BackgroundWork background) {
    ApiSettings api = settings.api();
    return new Hook(
        vertx,
        pool,
        documents,
        new Hook.HookLimits(
            budget("hook", api.memory().hookBytes(), HOOKS_WAITING_MAX),
            api.memoryWait(),
            api.maxCaptureBytes(),
            api.workspaceRate(),
            new Patience.Terms(api.hookStallTimeout(), api.clientBytesPerSecondMin())),
        new Hook.Wakeups(relay::entered, background::revise),
        monitoring.metrics());
  }

  private WaitingPulls waitingPulls() {
    return new WaitingPulls(
        vertx,
        waitingPool,
        settings.database().pooler() == DatabaseSettings.Pooler.NONE,
        settings.api().relayInterval(),
        settings.api().pullsHeldMax(),
        monitoring.metrics());
  }

  private PullHandler pullHandler(PullStore pulls, KeyUse keyUse, WaitingPulls waiting) {
    ApiSettings api = settings.api();
    return new PullHandler(
        pulls,
        keyUse,
        new PullHandler.PullLimits(
            budget("pull", api.memory().pullBytes(), PULLS_WAITING_MAX + api.pullsHeldMax()),
            api.memoryWait(),
            new Patience.Terms(api.pullStallTimeout(), api.clientBytesPerSecondMin())),
        waiting,
        database.clock(),
        monitoring.metrics());
  }

  /** What runs on virtual threads. */
  private record Administrative(Calls calls, ApiRoutes.Administration routes, Portal portal) {}

  private Administrative administrative(
      DocumentStore documents, BackgroundWork background, WebhookSender sender, Backends backends) {
    ApiSettings api = settings.api();
    Calls calls =
        new Calls(new Patience.Terms(api.pullStallTimeout(), api.clientBytesPerSecondMin()));
    Operations operations =
        new OperationsAssembly(vertx, settings, database.clock(), closing)
            .over(administration, measuring, documents, sender);
    PortalAddress address = new PortalAddress(settings.api().portal());
    PortalAccess access =
        new PortalAccess(calls, administration, settings.push().secretBox(), address);
    return new Administrative(
        calls,
        new ApiRoutes.Administration(
            operations, access, administration, documents, settings, background::erase),
        new Portal(address, access, operations, troubles(backends), database.clock()));
  }

  private ServiceTroubles troubles(Backends backends) {
    QueueRebuilds rebuilds = new QueueRebuilds(vertx, measuring);
    closing.pushSync("the watch of rebuilds of the queue", rebuilds::close);
    return new ServiceTroubles(
        new ServiceTroubles.Sources(
            backends.probes::database,
            backends.probes::isKafkaAway,
            rebuilds::newest,
            backends.behind::lateness),
        database.clock());
  }

  private ByteBudget budget(String name, long bytes, int waitersMax) {
    ByteBudget budget = new ByteBudget(vertx, bytes, waitersMax);
    monitoring
        .metrics()
        .gauge(
            "egress_memory_reserved_bytes",
            "memory that requests have reserved",
            budget::bytesTaken,
            "budget",
            name);
    monitoring
        .metrics()
        .gauge(
            "egress_memory_waiting",
            "requests waiting for memory",
            budget::waiting,
            "budget",
            name);
    return budget;
  }

  private Future<Listener> open(
      String name, ListenerSettings where, Duration writeIdleMax, Routes routes) {
    return Listener.open(
            vertx,
            where,
            EVENT_LOOPS,
            new ListenerLimits(
                settings.process().shutdownTimeout(),
                settings.process().idleTimeout(),
                writeIdleMax),
            new RequestLog(settings.process().log().access()),
            routes)
        .onSuccess(listener -> closing.pushLimited(name, listener::close));
  }
}
