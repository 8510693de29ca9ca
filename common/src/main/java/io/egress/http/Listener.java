package io.egress.http;

import io.egress.settings.ListenerSettings;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A server that listens on one port with several event loops. */
public record Listener(Vertx vertx, String deploymentId, int port) {
  /**
   * Servers of one Vert.x that name the same negative port share one free port: each listener has
   * its own.
   */
  private static final AtomicInteger NEGATIVE_PORTS = new AtomicInteger();

  public static Future<Listener> open(
      Vertx vertx,
      ListenerSettings settings,
      int eventLoops,
      ListenerLimits limits,
      RequestLog requests,
      Consumer<Router> mounts) {
    ListenerSettings where =
        settings.port() == 0
            ? new ListenerSettings(settings.host(), NEGATIVE_PORTS.decrementAndGet())
            : settings;
    Queue<ListenerVerticle> instances = new ConcurrentLinkedQueue<>();
    return vertx
        .deployVerticle(
            () -> {
              ListenerVerticle instance = new ListenerVerticle(where, limits, requests, mounts);
              instances.add(instance);
              return instance;
            },
            new DeploymentOptions().setInstances(eventLoops))
        .map(id -> new Listener(vertx, id, instances.element().port()));
  }

  public Future<Void> close() {
    return vertx.undeploy(deploymentId);
  }
}
