package io.egress.http;

import static java.util.Objects.requireNonNull;

import io.egress.settings.ListenerSettings;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's share of a listener. Stopping lets the requests in flight end, within the time
 * it has.
 */
public final class ListenerVerticle extends VerticleBase {
  private static final int IDLE_SECONDS_MAX = 180;

  private final ListenerSettings settings;
  private final Duration shutdownMax;
  private final Consumer<Router> mounts;
  private @Nullable HttpServer server;

  public ListenerVerticle(
      ListenerSettings settings, Duration shutdownMax, Consumer<Router> mounts) {
    this.settings = requireNonNull(settings, "settings is null");
    this.shutdownMax = requireNonNull(shutdownMax, "shutdownMax is null");
    this.mounts = requireNonNull(mounts, "mounts is null");
  }

  @Override
  public Future<?> start() {
    Router router = Exchange.router(vertx);
    mounts.accept(router);
    HttpServer opened =
        vertx
            .createHttpServer(
                new HttpServerOptions()
                    .setHost(settings.host())
                    .setPort(settings.port())
                    .setIdleTimeout(IDLE_SECONDS_MAX)
                    .setHandle100ContinueAutomatically(true))
            .requestHandler(router);
    server = opened;
    return opened.listen();
  }

  @Override
  public Future<?> stop() {
    return server == null
        ? Future.succeededFuture()
        : server.shutdown(shutdownMax.toMillis(), TimeUnit.MILLISECONDS);
  }

  public int port() {
    return requireNonNull(server, "server is not started").actualPort();
  }
}
