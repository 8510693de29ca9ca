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
  private static final Duration IDLE_MAX = Duration.ofMinutes(3);

  private final ListenerSettings settings;
  private final ListenerLimits limits;
  private final RequestLog requests;
  private final Consumer<Router> mounts;
  private @Nullable HttpServer server;

  public ListenerVerticle(
      ListenerSettings settings,
      ListenerLimits limits,
      RequestLog requests,
      Consumer<Router> mounts) {
    this.settings = requireNonNull(settings, "settings is null");
    this.limits = requireNonNull(limits, "limits is null");
    this.requests = requireNonNull(requests, "requests is null");
    this.mounts = requireNonNull(mounts, "mounts is null");
  }

  @Override
  public Future<?> start() {
    Router router = Exchange.router(vertx, requests);
    mounts.accept(router);
    HttpServer opened =
        vertx
            .createHttpServer(
                new HttpServerOptions()
                    .setHost(settings.host())
                    .setPort(settings.port())
                    .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                    .setIdleTimeout((int) IDLE_MAX.toMillis())
                    .setWriteIdleTimeout((int) limits.writeIdleMax().toMillis())
                    .setHandle100ContinueAutomatically(true))
            .requestHandler(router)
            .invalidRequestHandler(new UnreadableRequest(requests));
    server = opened;
    return opened.listen();
  }

  @Override
  public Future<?> stop() {
    return server == null
        ? Future.succeededFuture()
        : server.shutdown(limits.shutdownMax().toMillis(), TimeUnit.MILLISECONDS);
  }

  public int port() {
    return requireNonNull(server, "server is not started").actualPort();
  }
}
