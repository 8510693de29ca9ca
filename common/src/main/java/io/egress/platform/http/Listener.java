package io.egress.platform.http;

import io.egress.platform.environment.SettingsException;
import io.egress.platform.environment.TlsFiles;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import java.net.BindException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** An HTTP server on one port with several event loops. */
public record Listener(
    Vertx vertx,
    String deploymentId,
    int port,
    Runnable stopWatching,
    Consumer<Duration> stopWithin) {
  /**
   * Servers of one Vert.x with the same negative port share one random port: each listener has its
   * own number.
   */
  private static final AtomicInteger NEGATIVE_PORTS = new AtomicInteger();

  /** Fails with {@link SettingsException} if the port cannot be used. */
  public static Future<Listener> open(
      Vertx vertx,
      ListenerSettings settings,
      int eventLoops,
      ListenerLimits limits,
      RequestLog requests,
      Routes routes) {
    ListenerSettings where =
        settings.port() == 0 ? settings.withPort(NEGATIVE_PORTS.decrementAndGet()) : settings;
    return opened(vertx, where, eventLoops, limits, requests, routes)
        .recover(failure ->
            Future.failedFuture(
                failure instanceof BindException ? unusable(settings, failure) : failure));
  }

  private static SettingsException unusable(ListenerSettings settings, Throwable failure) {
    return new SettingsException(
        List.of(
            "%s: cannot listen on %s:%d: %s"
                .formatted(
                    settings.portName(), settings.host(), settings.port(), failure.getMessage())));
  }

  private static Future<Listener> opened(
      Vertx vertx,
      ListenerSettings where,
      int eventLoops,
      ListenerLimits limits,
      RequestLog requests,
      Routes routes) {
    TlsFiles tls = where.tls();
    return tls == null
        ? deploy(
                vertx,
                eventLoops,
                () -> new ListenerVerticle(where, limits, requests, routes, null))
            .map(listening -> listening.listener(vertx, () -> {}))
        : CertificateWatch.load(vertx, tls)
            .compose(certificate ->
                deploy(
                        vertx,
                        eventLoops,
                        () ->
                            new ListenerVerticle(
                                where, limits, requests, routes, certificate.options()))
                    .map(listening ->
                        listening.listener(
                            vertx,
                            CertificateWatch.start(vertx, tls, certificate, listening::serve)
                                ::close)));
  }

  private static Future<Listening> deploy(
      Vertx vertx, int eventLoops, Supplier<ListenerVerticle> verticle) {
    Queue<ListenerVerticle> instances = new ConcurrentLinkedQueue<>();
    return vertx
        .deployVerticle(
            () -> {
              ListenerVerticle instance = verticle.get();
              instances.add(instance);
              return instance;
            },
            new DeploymentOptions().setInstances(eventLoops))
        .map(id -> new Listening(id, List.copyOf(instances)));
  }

  /** The verticles of all event loops. */
  private record Listening(String deploymentId, List<ListenerVerticle> instances) {
    Listener listener(Vertx vertx, Runnable stopWatching) {
      return new Listener(
          vertx,
          deploymentId,
          instances.get(0).port(),
          stopWatching,
          max -> instances.forEach(each -> each.stopWithin(max)));
    }

    Future<Void> serve(KeyCertOptions certificate) {
      return Future.all(instances.stream().map(each -> each.serve(certificate)).toList())
          .mapEmpty();
    }
  }

  /** Requests in flight have {@code max} to end, or less if the limits of the listener say so. */
  public Future<Void> close(Duration max) {
    stopWithin.accept(max);
    return close();
  }

  /** Waits for requests in flight as long as the limits say. */
  public Future<Void> close() {
    stopWatching.run();
    return vertx.undeploy(deploymentId);
  }
}
