package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A receiver whose path {@code fine} takes every delivery, {@code flaky} refuses each once, and
 * {@code broken} takes none.
 */
final class RefusingReceiver {
  /** {@code traceparent} is null where it had none. */
  record Attempt(String delivery, @Nullable String traceparent, int status) {}

  private final Set<String> refusedOnce = ConcurrentHashMap.newKeySet();
  private final List<Attempt> attempts = new CopyOnWriteArrayList<>();
  private final int port;

  RefusingReceiver(Vertx vertx) {
    port =
        done(vertx.createHttpServer().requestHandler(this::receive).listen(0, "127.0.0.1"))
            .actualPort();
  }

  String url(String name) {
    return "http://127.0.0.1:" + port + "/" + name;
  }

  /** In the order of their arrival. */
  List<Attempt> attempts() {
    return new ArrayList<>(attempts);
  }

  long delivered() {
    return attempts.stream().filter(attempt -> attempt.status() == 204).count();
  }

  private void receive(HttpServerRequest request) {
    String delivery = request.getHeader("x-service-delivery");
    int status =
        switch (request.path()) {
          case "/fine" -> 204;
          case "/broken" -> 404;
          default -> refusedOnce.add(delivery) ? 503 : 204;
        };
    attempts.add(new Attempt(delivery, request.getHeader("traceparent"), status));
    request.response().setStatusCode(status).end();
  }
}
