package io.egress.api;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.portal.Browser;
import io.egress.platform.http.RequestLifetime;
import io.egress.testing.TcpProxy;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** PostgreSQL accepts everything and answers nothing, or not in time. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class UnansweringDatabaseTest {
  private static final Duration SLACK = Duration.ofSeconds(10);

  /** Nobody waits for a database that is known to be away. */
  private static final Duration KNOWN_DOWN_MAX = RequestLifetime.ANSWER_MAX.dividedBy(2);

  private record Answered(String call, HttpResponse<String> answer, Duration after) {}

  private final UUID workspace = UUID.randomUUID();
  private final ExecutorService callers = Executors.newCachedThreadPool();
  private final List<CompletableFuture<Answered>> calls = new ArrayList<>();
  private TcpProxy proxy;
  private Service service;
  private String key;
  private Browser browser;

  @BeforeEach
  void start() {
    Map<String, String> environment = Service.freshEnvironment();
    String url = requireNonNull(environment.get("EGRESS_DATABASE_URL"));
    proxy = TcpProxy.open(URI.create(url).getPort());
    environment.put("EGRESS_DATABASE_URL", proxy.url(url));
    service = Service.start(environment);
    key = service.mintKey(workspace);
    browser = Browser.at(service, workspace, "admin");
    service.enter(workspace, 1);
  }

  @AfterEach
  void stop() {
    proxy.resume();
    service.close();
    proxy.close();
    callers.shutdown();
  }

  @Test
  void everyCallIsAnsweredWhileItIsSilent() {
    proxy.stall();
    for (int i = 0; i < 6; i++) {
      askEverything();
    }
    await().until(() -> ready() == 503);
    List<CompletableFuture<Answered>> early = List.copyOf(calls);
    calls.clear();

    askEverything();
    for (Answered known : awaitAll(calls)) {
      assertThat(known.after).as(known.call).isLessThan(KNOWN_DOWN_MAX);
    }
    awaitAll(early);

    proxy.resume();
    assertAllWorksAgain();
  }

  @Test
  void everyCallIsAnsweredWhileATableIsLocked() {
    SqlConnection outside = Service.await(service.database.getConnection());
    Service.await(outside.begin());
    Service.await(outside.query("lock table captures, api_keys, workspaces, audit").execute());
    for (int i = 0; i < 10; i++) {
      askEverything();
    }
    awaitAll(calls);
    Service.await(outside.transaction().commit());
    Service.await(outside.close());
    assertAllWorksAgain();
  }

  private void askEverything() {
    UUID id = UUID.randomUUID();
    ask("hook", () -> service.put(id, Service.capture(workspace)));
    ask("import", () -> importOne());
    ask(
        "rename",
        () ->
            service.internal(
                "PUT",
                "/internal/v1/devices/" + UUID.randomUUID(),
                new JsonObject().put("workspace_id", workspace.toString()).put("name", "Hall")));
    ask("page", () -> service.pull("/api/v1/captures", key));
    ask("by id", () -> service.pull("/api/v1/captures/" + id, key));
    ask("list keys", () -> administration("GET", "/api-keys", ""));
    ask("mint a key", () -> administration("POST", "/api-keys", "{\"name\":\"x\"}"));
    ask("audit", () -> administration("GET", "/audit", ""));
    ask("settings page", () -> browser.get("/portal/" + workspace + "/keys"));
  }

  private HttpResponse<String> administration(String method, String path, String body) {
    return service.internal(method, "/internal/v1/workspaces/" + workspace + path, body);
  }

  private HttpResponse<String> importOne() {
    JsonObject line = Service.capture(workspace).put("id", UUID.randomUUID().toString());
    return Service.send(
        HttpRequest.newBuilder(URI.create(service.internalUrl("/internal/v1/captures")))
            .header("authorization", "Bearer " + Service.TOKEN)
            .header("content-type", "application/x-ndjson")
            .POST(BodyPublishers.ofString(line.encode())));
  }

  private void ask(String name, Supplier<HttpResponse<String>> call) {
    calls.add(
        CompletableFuture.supplyAsync(
            () -> {
              long asked = System.nanoTime();
              HttpResponse<String> answer = call.get();
              return new Answered(name, answer, Duration.ofNanos(System.nanoTime() - asked));
            },
            callers));
  }

  private static List<Answered> awaitAll(List<CompletableFuture<Answered>> calls) {
    List<Answered> answered = calls.stream().map(CompletableFuture::join).toList();
    for (Answered each : answered) {
      assertThat(each.answer.statusCode()).as(each.call + ": " + each.answer.body()).isEqualTo(503);
      assertThat(each.answer.headers().firstValue("retry-after")).as(each.call).isPresent();
      assertThat(each.after).as(each.call).isLessThan(RequestLifetime.ANSWER_MAX.plus(SLACK));
    }
    return answered;
  }

  private void assertAllWorksAgain() {
    await()
        .until(
            () -> service.put(UUID.randomUUID(), Service.capture(workspace)).statusCode() == 201);
    await()
        .untilAsserted(() -> {
          assertThat(service.memoryInUse("hook")).isEmpty();
          assertThat(service.memoryInUse("pull")).isEmpty();
        });
    assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(200);
    assertThat(importOne().statusCode()).isEqualTo(200);
    assertThat(administration("GET", "/api-keys", "").statusCode()).isEqualTo(200);
    assertThat(browser.get("/portal/" + workspace + "/keys").statusCode()).isEqualTo(200);
  }

  private int ready() {
    return Service.send(HttpRequest.newBuilder(URI.create(service.publicUrl("/health/ready"))))
        .statusCode();
  }
}
