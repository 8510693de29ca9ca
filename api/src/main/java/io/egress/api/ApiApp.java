package io.egress.api;

import static java.util.Objects.requireNonNull;

import io.egress.api.endpoints.EndpointsHandler;
import io.egress.api.hook.Hook;
import io.egress.api.keys.KeyUse;
import io.egress.api.keys.KeysHandler;
import io.egress.api.pull.PullHandler;
import io.egress.api.sweep.SweepVerticle;
import io.egress.database.DatabasePool;
import io.egress.database.Migrations;
import io.egress.database.Transactions;
import io.egress.document.DocumentStore;
import io.egress.endpoint.EndpointStore;
import io.egress.flow.ByteBudget;
import io.egress.http.Health;
import io.egress.http.Listener;
import io.egress.http.ListenerLimits;
import io.egress.http.OpenApi;
import io.egress.http.RequestLog;
import io.egress.kafka.Brokers;
import io.egress.lifecycle.Closing;
import io.egress.outage.BackendWatch;
import io.egress.settings.ApiSettings;
import io.egress.settings.ListenerSettings;
import io.egress.settings.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The api role: public listener, internal listener, sweep and relay. */
public final class ApiApp {
  private static final Logger log = LoggerFactory.getLogger(ApiApp.class);
  private static final int PULLS_WAITING_MAX = 5_000;
  private static final int HOOKS_WAITING_MAX = 5_000;
  private static final int EVENT_LOOPS = Runtime.getRuntime().availableProcessors();

  private final Closing closing;
  private final int publicPort;
  private final int internalPort;

  private ApiApp(Closing closing, int publicPort, int internalPort) {
    this.closing = closing;
    this.publicPort = publicPort;
    this.internalPort = internalPort;
  }

  /** On failure everything opened so far is closed again. */
  public static Future<ApiApp> start(Vertx vertx, Settings settings) {
    requireNonNull(vertx, "vertx is null");
    Closing closing = new Closing(settings.process().shutdownTimeout());
    return Migrations.run(vertx, settings.database().url())
        .compose(migrated -> new Assembly(vertx, settings, closing).start())
        .recover(failure -> closing.close().compose(closed -> Future.failedFuture(failure)));
  }

  public int publicPort() {
    return publicPort;
  }

  public int internalPort() {
    return internalPort;
  }

  /**
   * Takes no new requests, lets those in flight end, and completes in any case within the shutdown
   * timeout.
   */
  public Future<Void> close() {
    return closing.close();
  }

  /** The composition root. */
  private static final class Assembly {
    private final Vertx vertx;
    private final Settings settings;
    private final Closing closing;

    /** Pulls wait for connections of their own: however many there are, hook and sweep go on. */
    private final Pool pullPool;

    private final Pool pool;

    Assembly(Vertx vertx, Settings settings, Closing closing) {
      this.vertx = vertx;
      this.settings = settings;
      this.closing = closing;
      int half = settings.database().poolSize() / 2;
      this.pullPool = DatabasePool.open(vertx, settings.database(), half);
      closing.push("the pool of pulls", pullPool::close);
      this.pool = DatabasePool.open(vertx, settings.database(), half);
      closing.push("the pool of hook and sweep", pool::close);
      watchBackends();
    }

    private void watchBackends() {
      Brokers brokers = new Brokers(vertx, settings.kafka());
      closing.push("the line to the brokers", brokers::close);
      BackendWatch kafka = BackendWatch.start(vertx, "Kafka", brokers::answer);
      closing.push("the watch on Kafka", kafka::close);
      BackendWatch database =
          BackendWatch.start(vertx, "PostgreSQL", () -> pool.query("select 1").execute());
      closing.push("the watch on PostgreSQL", database::close);
    }

    Future<ApiApp> start() {
      DocumentStore documents = new DocumentStore(vertx, pullPool);
      KeyUse keyUse = new KeyUse(vertx, pool);
      closing.push("the note of used keys", keyUse::close);
      SweepVerticle sweep = new SweepVerticle(pool, settings);
      Health health =
          new Health(List.of(new Health.Check("database", () -> pool.query("select 1").execute())));
      return vertx
          .deployVerticle(sweep)
          .onSuccess(id -> closing.push("sweep and relay", () -> vertx.undeploy(id)))
          .compose(id -> listeners(documents, keyUse, sweep, health));
    }

    private Future<ApiApp> listeners(
        DocumentStore documents, KeyUse keyUse, SweepVerticle sweep, Health health) {
      ApiSettings api = settings.api();
      ByteBudget hookMemory = new ByteBudget(vertx, api.hookMemoryBytes(), HOOKS_WAITING_MAX);
      Hook hook = new Hook(vertx, new Transactions(pool), documents, hookMemory, api, sweep::wake);
      KeysHandler keys = new KeysHandler(pool);
      EndpointsHandler endpoints = new EndpointsHandler(new EndpointStore(pool), settings.push());
      ByteBudget pullMemory = new ByteBudget(vertx, api.pullMemoryBytes(), PULLS_WAITING_MAX);
      PullHandler pull =
          new PullHandler(
              vertx,
              pullPool,
              documents,
              keyUse,
              new PullHandler.PullLimits(pullMemory, api.pullStallTimeout()));
      return open(
              "the internal listener",
              settings.internalListener(),
              Duration.ZERO,
              router -> {
                health.mount(router);
                router.route("/internal/*").handler(new InternalAccess(settings.internalToken()));
                OpenApi.mount(
                    router, "/internal/v1/openapi.json", "/io/egress/api/internal-openapi.json");
                hook.mount(router);
                keys.mount(router);
                endpoints.mount(router);
              })
          .compose(
              internal ->
                  open(
                          "the public listener",
                          api.publicListener(),
                          api.pullStallTimeout().multipliedBy(2),
                          router -> {
                            health.mount(router);
                            OpenApi.mount(
                                router, "/api/v1/openapi.json", "/io/egress/api/openapi.json");
                            pull.mount(router);
                          })
                      .map(
                          open -> {
                            log.info(
                                "api is up: public port {}, internal port {}",
                                open.port(),
                                internal.port());
                            return new ApiApp(closing, open.port(), internal.port());
                          }));
    }

    private Future<Listener> open(
        String name, ListenerSettings where, Duration writeIdleMax, Consumer<Router> mounts) {
      return Listener.open(
              vertx,
              where,
              EVENT_LOOPS,
              new ListenerLimits(settings.process().shutdownTimeout(), writeIdleMax),
              new RequestLog(settings.process().log().access()),
              mounts)
          .onSuccess(listener -> closing.push(name, listener::close));
    }
  }
}
