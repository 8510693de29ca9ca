package io.egress.dispatcher;

import static java.util.Objects.requireNonNull;

import io.egress.lifecycle.Closing;
import io.egress.settings.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The dispatcher role. It starts and stops with the service; deliveries are not part of it yet. */
public final class DispatcherApp {
  private static final Logger log = LoggerFactory.getLogger(DispatcherApp.class);

  private final Closing closing;

  private DispatcherApp(Closing closing) {
    this.closing = closing;
  }

  public static Future<DispatcherApp> start(Vertx vertx, Settings settings) {
    requireNonNull(vertx, "vertx is null");
    log.info("dispatcher is up");
    return Future.succeededFuture(
        new DispatcherApp(new Closing(settings.process().shutdownTimeout())));
  }

  public Future<Void> close() {
    return closing.close();
  }
}
