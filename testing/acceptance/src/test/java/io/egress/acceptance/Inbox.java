package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Receivers by name behind one HTTP server, which remember what they accept. */
final class Inbox {
  private final Set<String> down = ConcurrentHashMap.newKeySet();
  private final Set<String> flaky = ConcurrentHashMap.newKeySet();
  private final Set<String> refusedOnce = ConcurrentHashMap.newKeySet();
  private final List<@Nullable String> traceparents = new CopyOnWriteArrayList<>();
  private final Map<String, Map<String, Integer>> accepted = new ConcurrentHashMap<>();
  private final Map<String, Set<String>> captures = new ConcurrentHashMap<>();
  private final Map<String, String> captureOf = new ConcurrentHashMap<>();
  private final int port;

  Inbox(Vertx vertx) {
    port =
        done(vertx.createHttpServer().requestHandler(this::receive).listen(0, "127.0.0.1"))
            .actualPort();
  }

  String url(String name) {
    return "http://127.0.0.1:" + port + "/" + name;
  }

  /** From now on these refuse everything, and no others do. */
  void onlyDown(Set<String> names) {
    down.addAll(names);
    down.retainAll(names);
  }

  /** From now on this refuses each capture once. */
  void makeFlaky(String name) {
    flaky.add(name);
  }

  /** Of each attempt at any of them, in the order of their arrival; null where it had none. */
  List<@Nullable String> traceparents() {
    return new ArrayList<>(traceparents);
  }

  /** The ids of captures that were accepted. */
  Set<String> captures(String name) {
    return captures.getOrDefault(name, Set.of());
  }

  /** How often each delivery was accepted, by its id. */
  Map<String, Integer> accepted(String name) {
    return accepted.getOrDefault(name, Map.of());
  }

  /** The capture that a delivery brought. */
  String captureOf(String delivery) {
    return captureOf.getOrDefault(delivery, "");
  }

  private void receive(HttpServerRequest request) {
    String name = request.path().substring(1);
    request
        .body()
        .onSuccess(body -> {
          traceparents.add(request.getHeader("traceparent"));
          String capture = body.toJsonObject().getJsonObject("data").getString("id");
          if (refuses(name, capture)) {
            request.response().setStatusCode(503).end();
            return;
          }
          String delivery = request.getHeader("x-service-delivery");
          captureOf.put(delivery, capture);
          accepted
              .computeIfAbsent(name, _ -> new ConcurrentHashMap<>())
              .merge(delivery, 1, Integer::sum);
          captures.computeIfAbsent(name, _ -> ConcurrentHashMap.newKeySet()).add(capture);
          request.response().setStatusCode(204).end();
        });
  }

  private boolean refuses(String name, String capture) {
    return down.contains(name) || (flaky.contains(name) && refusedOnce.add(name + " " + capture));
  }
}
