package io.egress.platform.http;

import static java.util.Objects.requireNonNull;

import io.egress.platform.trace.TracedVertx;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.ext.web.Router;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's instance of a listener. Stopping lets requests in flight finish, up to a
 * timeout.
 */
public final class ListenerVerticle extends VerticleBase {
  private final ListenerSettings settings;
  private final ListenerLimits limits;
  private final RequestLog requests;
  private final Routes routes;
  private final @Nullable KeyCertOptions certificate;
  private @Nullable HttpServer server;

  /** Without a certificate it serves plain HTTP. */
  ListenerVerticle(
      ListenerSettings settings,
      ListenerLimits limits,
      RequestLog requests,
      Routes routes,
      @Nullable KeyCertOptions certificate) {
    this.settings = settings;
    this.limits = limits;
    this.requests = requests;
    this.routes = routes;
    this.certificate = certificate;
  }

  @Override
  public Future<?> start() {
    Router router = HttpExchange.router(vertx, requests, limits.answerMax());
    routes.mount(router);
    HttpServer opened =
        vertx
            .createHttpServer(options())
            .connectionHandler(connection -> {
              UnknownVersion.refuse(connection);
              ClientConnection.watch(connection);
            })
            .requestHandler(router)
            .invalidRequestHandler(this::refuseUnreadable);
    server = opened;
    return opened.listen();
  }

  @Override
  public Future<?> stop() {
    return server == null
        ? Future.succeededFuture()
        : server.shutdown(limits.shutdownMax().toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Applies to connections opened from now on. */
  Future<Boolean> serve(KeyCertOptions next) {
    return requireNonNull(server, "server is not started")
        .updateSSLOptions(new ServerSSLOptions().setKeyCertOptions(next));
  }

  /**
   * HTTP/1.1 only: an incomplete response is marked by closing its connection, which other requests
   * would share in HTTP/2.
   */
  private HttpServerOptions options() {
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost(settings.host())
            .setPort(settings.port())
            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
            .setIdleTimeout((int) limits.idleMax().toMillis())
            .setWriteIdleTimeout((int) limits.writeIdleMax().toMillis())
            .setHandle100ContinueAutomatically(true)
            .setHttp2ClearTextEnabled(false)
            .setTracingPolicy(
                settings.internal() ? TracedVertx.FOLLOWS_CALLERS : TracedVertx.IGNORES_CALLERS);
    return certificate == null
        ? options
        : options.setSsl(true).setUseAlpn(false).setKeyCertOptions(certificate);
  }

  public int port() {
    return requireNonNull(server, "server is not started").actualPort();
  }

  /** Answers requests that could not be parsed, in the same format as all other errors. */
  private void refuseUnreadable(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    if (cause instanceof TooLongHttpLineException) {
      refuse(request, 414, "the request's first line is too long");
    } else if (cause instanceof TooLongHttpHeaderException) {
      refuse(request, 431, "the request's headers are too large");
    } else {
      refuse(request, 400, "the request could not be read");
    }
  }

  private void refuse(HttpServerRequest request, int status, String reason) {
    String id = RequestIds.choose(null);
    HttpExchange.putCommonHeaders(request.response(), id);
    request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    requests.unreadable(id, status);
    ErrorBody.send(request.method(), request.response(), status, reason);
    request.connection().close();
  }
}
