package io.egress.http;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Live: the event loop answers. Ready: every check succeeds in time. Either answers within a
 * second.
 */
public final class Health {
  private static final long CHECK_MILLIS_MAX = 800;

  /** Something the service cannot work without. */
  public record Check(String name, Supplier<Future<?>> check) {
    public Check {
      requireNonNull(name, "name is null");
      requireNonNull(check, "check is null");
    }
  }

  private final List<Check> checks;

  public Health(List<Check> checks) {
    this.checks = List.copyOf(checks);
  }

  public void mount(Router router) {
    router.get("/health/live").handler(exchange -> send(exchange, 200, "up", new JsonObject()));
    router.get("/health/ready").handler(this::ready);
  }

  private void ready(RoutingContext exchange) {
    JsonObject told = new JsonObject();
    List<Future<?>> results = new ArrayList<>();
    for (Check check : checks) {
      results.add(
          started(check)
              .timeout(CHECK_MILLIS_MAX, TimeUnit.MILLISECONDS)
              .onComplete(done -> told.put(check.name(), done.succeeded() ? "up" : "down")));
    }
    Future.join(results)
        .onComplete(
            all ->
                send(exchange, all.succeeded() ? 200 : 503, all.succeeded() ? "up" : "down", told));
  }

  private static Future<?> started(Check check) {
    try {
      return check.check().get();
    } catch (RuntimeException failure) {
      return Future.failedFuture(failure);
    }
  }

  private static void send(RoutingContext exchange, int status, String state, JsonObject checks) {
    exchange
        .response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .end(new JsonObject().put("status", state).put("checks", checks).toBuffer());
  }
}
