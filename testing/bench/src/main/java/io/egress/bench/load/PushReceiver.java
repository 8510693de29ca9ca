package io.egress.bench.load;

import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.receiver.LocalCertificate;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Receives webhooks at the lowest cost, because it shares the machine with the service: it counts
 * the bytes of a body and answers. Each connection is a {@link BareConnection}.
 */
final class PushReceiver {
  /** Requests below this path are answered after the attempt timeout. */
  static final String HANGING = "/hanging/";

  private static final Duration HANGING_FOR = Duration.ofSeconds(10);
  private static final long TICK_MILLIS = 5;

  /** Gets the port shared by all instances of the verticle. */
  private static final int ANY_FREE_PORT = -2_000;

  private final HttpServerOptions options;

  /** Event loops would spin through the last half millisecond before each of many timers. */
  private final HashedWheelTimer answers =
      new HashedWheelTimer(
          new DefaultThreadFactory("bench-answers", true), TICK_MILLIS, TimeUnit.MILLISECONDS);

  private volatile Arrivals arrivals = new Arrivals();
  private volatile @Nullable ServiceTimes serviceTimes;
  private volatile int latencyMillis;
  private volatile int port;

  private PushReceiver(HttpServerOptions options) {
    this.options = options;
  }

  /** Without a certificate: plain HTTP, answered immediately. */
  static PushReceiver start(Vertx vertx, @Nullable LocalCertificate certificate) {
    HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1");
    if (certificate != null) {
      options
          .setSsl(true)
          .setSslEngineOptions(
              OpenSSLEngineOptions.isAvailable()
                  ? new OpenSSLEngineOptions()
                  : new JdkSSLEngineOptions())
          .setKeyCertOptions(certificate.keyCertOptions());
    }
    PushReceiver receiver = new PushReceiver(options);
    RunningProcess.await(
        vertx.deployVerticle(
            () -> receiver.new ReceiverVerticle(),
            new DeploymentOptions().setInstances(Runtime.getRuntime().availableProcessors())));
    return receiver;
  }

  private final class ReceiverVerticle extends VerticleBase {
    @Override
    public Future<?> start() {
      return vertx
          .createNetServer(options)
          .connectHandler(socket -> {
            arrivals.addConnection();
            socket.exceptionHandler(_ -> {});
            ((NetSocketInternal) socket)
                .channelHandlerContext()
                .pipeline()
                .addBefore(
                    "handler",
                    "bare",
                    new BareConnection(
                        (path, id, bytes, answer) -> take(vertx, path, id, bytes, answer)));
          })
          .exceptionHandler(_ -> {})
          .listen(ANY_FREE_PORT, options.getHost())
          .onSuccess(server -> port = server.actualPort());
    }
  }

  private void take(Vertx vertx, String path, UUID deliveryId, long bytes, Runnable answer) {
    if (path.startsWith(HANGING)) {
      arrivals.addHung();
      vertx.setTimer(HANGING_FOR.toMillis(), _ -> answer.run());
    } else {
      arrivals.add(deliveryId, bytes);
      ServiceTimes times = serviceTimes;
      if (times != null) {
        times.add(path);
      }
      answer(answer);
    }
  }

  private void answer(Runnable answer) {
    if (latencyMillis == 0) {
      answer.run();
    } else {
      var _ = answers.newTimeout(_ -> answer.run(), latencyMillis, TimeUnit.MILLISECONDS);
    }
  }

  /** Answers this long after a request arrived, rounded up to a tick of 5 ms. */
  void answerAfter(int millis) {
    latencyMillis = millis;
  }

  /** The times of requests from now on, keyed by path, without those that hang. */
  ServiceTimes timeService() {
    ServiceTimes fresh = new ServiceTimes();
    serviceTimes = fresh;
    return fresh;
  }

  /** Records arrivals from now on. */
  Arrivals begin() {
    Arrivals fresh = new Arrivals();
    arrivals = fresh;
    return fresh;
  }

  String url(String path) {
    return (options.isSsl() ? "https" : "http") + "://127.0.0.1:" + port + path;
  }
}
