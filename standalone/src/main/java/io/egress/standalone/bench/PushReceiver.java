package io.egress.standalone.bench;

import static java.util.Objects.requireNonNull;

import io.egress.lifecycle.RunningProcess;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.PfxOptions;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Takes webhooks as cheaply as it can: it counts the bytes of a body and answers, for what it costs
 * is taken from what it measures.
 */
final class PushReceiver {
  /** Requests below this path are answered when it is too late. */
  static final String HANGING = "/hanging/";

  private static final Duration HANGING_FOR = Duration.ofSeconds(10);

  /** The instances of the deployment share the port that this finds. */
  private static final int ANY_FREE_PORT = -2_000;

  private final HttpServerOptions options;
  private volatile Arrivals arrivals = new Arrivals();
  private volatile int port;

  private PushReceiver(HttpServerOptions options) {
    this.options = options;
  }

  /** Plain http without a certificate. */
  static PushReceiver start(Vertx vertx, @Nullable ReceiverCertificate certificate, boolean http2) {
    HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setUseAlpn(http2);
    if (certificate != null) {
      options
          .setSsl(true)
          .setSslEngineOptions(
              OpenSSLEngineOptions.isAvailable()
                  ? new OpenSSLEngineOptions()
                  : new JdkSSLEngineOptions())
          .setKeyCertOptions(
              new PfxOptions()
                  .setPath(certificate.keyStore().toString())
                  .setPassword(ReceiverCertificate.PASSWORD));
    }
    PushReceiver receiver = new PushReceiver(options);
    RunningProcess.await(
        requireNonNull(vertx, "vertx is null")
            .deployVerticle(
                () -> receiver.new ReceiverVerticle(),
                new DeploymentOptions().setInstances(Runtime.getRuntime().availableProcessors())));
    return receiver;
  }

  private final class ReceiverVerticle extends VerticleBase {
    @Override
    public Future<?> start() {
      return vertx
          .createHttpServer(options)
          .requestHandler(request -> take(vertx, request))
          .connectionHandler(opened -> arrivals.addConnection())
          .exceptionHandler(cutOff -> {})
          .listen(ANY_FREE_PORT)
          .onSuccess(server -> port = server.actualPort());
    }
  }

  private void take(Vertx vertx, HttpServerRequest request) {
    if (request.path().startsWith(HANGING)) {
      arrivals.addHung();
      vertx.setTimer(HANGING_FOR.toMillis(), late -> answer(request));
      return;
    }
    long[] bytes = new long[1];
    request.handler(part -> bytes[0] += part.length());
    request.endHandler(
        end -> {
          arrivals.add(UUID.fromString(request.getHeader("x-service-delivery")), bytes[0]);
          answer(request);
        });
  }

  private static void answer(HttpServerRequest request) {
    request.response().setStatusCode(204).end().onFailure(cutOff -> {});
  }

  /** What arrives from now on. */
  Arrivals begin() {
    Arrivals fresh = new Arrivals();
    arrivals = fresh;
    return fresh;
  }

  String url(String path) {
    return (options.isSsl() ? "https" : "http") + "://127.0.0.1:" + port + path;
  }
}
