package io.egress.bench.torture;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Calls any api process, and repeats until one answers, as every client should. */
final class Clients {
  /** Longer than a request may take. */
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  static final String HOOK = "hook call";
  static final String PULL = "pull";

  static final String INTERNAL = "EGRESS_INTERNAL_PORT";
  static final String PUBLIC = "EGRESS_PUBLIC_PORT";
  private static final long PAUSE_MILLIS = 100;

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private final AtomicInteger turn = new AtomicInteger();
  private final List<Role> apis;
  private final Evidence evidence;
  private final BooleanSupplier ended;

  Clients(List<Role> apis, Evidence evidence, BooleanSupplier ended) {
    this.apis = List.copyOf(apis);
    this.evidence = evidence;
    this.ended = ended;
  }

  /** Thrown to callers when the run has ended. */
  static final class EndedException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  JsonObject internal(String method, String path, JsonObject body) throws InterruptedException {
    return call(INTERNAL, Fleet.TOKEN, method, "/internal/v1" + path, body, false);
  }

  /** What it is about may have been erased meanwhile. */
  void internalUnlessGone(String method, String path, JsonObject body) throws InterruptedException {
    call(INTERNAL, Fleet.TOKEN, method, "/internal/v1" + path, body, true);
  }

  JsonObject pull(String key, String path) throws InterruptedException {
    long begun = System.nanoTime();
    JsonObject page = call(PUBLIC, key, "GET", "/api/v1/" + path, new JsonObject(), false);
    if (!path.contains("wait=") || path.contains("wait=0")) {
      evidence.waited(PULL, System.nanoTime() - begun);
    }
    return page;
  }

  /** Puts a new capture. */
  void hook(UUID captureId, JsonObject capture) throws InterruptedException {
    long begun = System.nanoTime();
    internal("PUT", "/captures/" + captureId, capture);
    evidence.waited(HOOK, System.nanoTime() - begun);
  }

  /** Whether each api that answers rejects the key. */
  boolean isDead(String key) throws InterruptedException {
    for (Role api : apis) {
      URI uri = URI.create("http://127.0.0.1:" + api.setting(PUBLIC) + "/api/v1/captures?limit=1");
      try {
        int status =
            http.send(
                    HttpRequest.newBuilder(uri)
                        .timeout(TIMEOUT)
                        .header("authorization", "Bearer " + key)
                        .build(),
                    BodyHandlers.discarding())
                .statusCode();
        if (status == 200) {
          return false;
        }
      } catch (IOException noAnswer) {
        // It serves nobody.
      }
    }
    return true;
  }

  /** Exchanges the token of a page's link for a session, and returns its cookie. */
  String openSession(String token) throws InterruptedException {
    HttpResponse<String> opened =
        send(
            INTERNAL,
            "/portal/open",
            request ->
                request
                    .header("content-type", "application/x-www-form-urlencoded")
                    .POST(BodyPublishers.ofString("token=" + token)),
            answer -> answer.statusCode() == 303);
    return opened.headers().firstValue("set-cookie").orElseThrow().split(";", 2)[0];
  }

  void page(String path, String cookie) throws InterruptedException {
    send(
        INTERNAL,
        path,
        request -> request.header("cookie", cookie).GET(),
        answer -> answer.statusCode() == 200);
  }

  private JsonObject call(
      String port, String token, String method, String path, JsonObject body, boolean mayBeGone)
      throws InterruptedException {
    String idempotencyKey = UUID.randomUUID().toString();
    HttpResponse<String> answer =
        send(
            port,
            path,
            request ->
                request
                    .header("authorization", "Bearer " + token)
                    .header("content-type", "application/json")
                    .header("idempotency-key", idempotencyKey)
                    .method(
                        method,
                        body.isEmpty()
                            ? BodyPublishers.noBody()
                            : BodyPublishers.ofString(body.encode())),
            given ->
                given.statusCode() < 300
                    || (method.equals("DELETE") && given.statusCode() == 404)
                    || (mayBeGone && given.statusCode() == 410));
    return answer.body().isEmpty() ? new JsonObject() : new JsonObject(answer.body());
  }

  /** Repeats the request until an answer is {@code expected}. */
  private HttpResponse<String> send(
      String port,
      String path,
      UnaryOperator<HttpRequest.Builder> request,
      Predicate<HttpResponse<String>> expected)
      throws InterruptedException {
    while (!ended.getAsBoolean()) {
      Role api = apis.get(Math.floorMod(turn.getAndIncrement(), apis.size()));
      boolean wasFrozen = api.isFrozen();
      URI uri = URI.create("http://127.0.0.1:" + api.setting(port) + path);
      HttpRequest attempt = request.apply(HttpRequest.newBuilder(uri).timeout(TIMEOUT)).build();
      String call = attempt.method() + " " + path;
      try {
        HttpResponse<String> answer = http.send(attempt, BodyHandlers.ofString());
        if (expected.test(answer)) {
          return answer;
        }
        if (answer.statusCode() != 503) {
          evidence.violation(
              "%s was answered with %d: %s".formatted(call, answer.statusCode(), answer.body()));
        }
      } catch (HttpConnectTimeoutException | ConnectException notUp) {
        // Another process may answer.
      } catch (HttpTimeoutException late) {
        if (!api.isFrozen() && !wasFrozen) {
          evidence.violation("%s had no answer after %d s".formatted(call, TIMEOUT.toSeconds()));
        }
      } catch (IOException noAnswer) {
        // Another process may answer.
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
    throw new EndedException();
  }
}
