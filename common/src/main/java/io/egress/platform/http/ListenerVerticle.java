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
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's instance of a listener. Stopping lets requests in flight finish, up to a
 * timeout.
 */
public final class ListenerVerticle extends VerticleBase {
  private static final Duration STALL_CHECKS_APART = Duration.ofSeconds(1);

  /**
   * A client that takes nothing for a third of the time that a stop may take could not finish in
   * it: the system's buffer, from which it reads first, takes more once a third of it is free.
   */
  private static final int STALLS_IN_A_STOP = 3;

  private final ListenerSettings settings;
  private final ListenerLimits limits;
  private final RequestLog requests;
  private final Routes routes;
  private final @Nullable KeyCertOptions certificate;
  private final Set<ClientConnection> open = new HashSet<>();
  private volatile Duration stopMax;
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
    this.stopMax = limits.shutdownMax();
  }

  /** How long requests in flight are waited for, if that is less than the limit of the listener. */
  void stopWithin(Duration max) {
    stopMax = max.compareTo(stopMax) < 0 ? max : stopMax;
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
              ClientConnection.watch(connection, open);
            })
            .requestHandler(router)
            .invalidRequestHandler(this::refuseUnreadable);
    server = opened;
    return opened.listen();
  }

  @Override
  public Future<?> stop() {
    HttpServer opened = server;
    if (opened == null) {
      return Future.succeededFuture();
    }
    long checksMax = Math.max(1, stopMax.dividedBy(STALLS_IN_A_STOP).toSeconds());
    vertx.setPeriodic(
        STALL_CHECKS_APART.toMillis(),
        _ -> List.copyOf(open).forEach(each -> each.endIfStalled(checksMax)));
    return opened.shutdown(stopMax.toMillis(), TimeUnit.MILLISECONDS);
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
