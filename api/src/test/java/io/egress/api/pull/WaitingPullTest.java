package io.egress.api.pull;

import static io.egress.api.pull.PullAnswers.JSON;
import static io.egress.api.pull.PullAnswers.LIST;
import static io.egress.api.pull.PullAnswers.assertError;
import static io.egress.api.pull.PullAnswers.idsOf;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.RawClient;
import io.egress.api.Service;
import io.egress.testing.TcpProxy;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that wait for a capture. */
class WaitingPullTest {
  private static final String EMPTY =
      "{\"captures\":[],\"pageInfo\":{\"endCursor\":null,\"hasNextPage\":false}}";
  private static final String WAIT = LIST + "?wait=30";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static Service service;

  private final ExecutorService clients = Executors.newCachedThreadPool();
  private final UUID workspace = UUID.randomUUID();
  private String key;

  @BeforeAll
  static void start() {
    service = Service.start();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeEach
  void mintKey() {
    key = service.mintKey(workspace);
  }

  @AfterEach
  void letClientsGo() {
    clients.shutdown();
  }

  @Test
  void getsACaptureThatAnotherProcessCommits() throws Exception {
    try (Service twin = service.twin()) {
      UUID first = service.enter(workspace, 1).get(0);
      String cursor = endCursor(service.pull(LIST, key));

      CompletableFuture<HttpResponse<String>> answer = ask(twin, WAIT + "&after=" + cursor);
      CompletableFuture<HttpResponse<String>> other = ask(service, WAIT + "&after=" + cursor);
      awaitHeld(twin, 1);
      awaitHeld(service, 1);
      assertThat(service.memoryInUse("pull")).isEmpty();
      UUID second = service.enter(workspace, 1).get(0);

      for (HttpResponse<String> page : List.of(answer.get(), other.get())) {
        assertThat(idsOf(JSON.readTree(page.body()))).containsExactly(second.toString());
      }
      assertThat(idsOf(JSON.readTree(service.pull(WAIT, key).body())))
          .as("is answered at once")
          .containsExactly(first.toString(), second.toString());
      awaitHeld(twin, 0);
      awaitHeld(service, 0);
    }
  }

  @Test
  void missesNothingThatIsCommittedMeanwhile() throws Exception {
    try (Service twin = service.twin()) {
      String after = "";
      for (int round = 0; round < 40; round++) {
        CompletableFuture<HttpResponse<String>> answer = ask(twin, WAIT + after);
        UUID id = UUID.randomUUID();
        service.put(id, Service.capture(workspace));
        assertThat(idsOf(JSON.readTree(answer.get().body()))).containsExactly(id.toString());
        after = "&after=" + endCursor(answer.get());
      }
    }
  }

  @Test
  void getsTheEmptyPageWhenTheTimeIsOver() {
    double measuredBefore = measured();
    long before = System.nanoTime();
    HttpResponse<String> answer = service.pull(LIST + "?wait=2", key);
    double elapsed = (System.nanoTime() - before) / 1e9;

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo(EMPTY);
    assertThat(elapsed).isGreaterThanOrEqualTo(2);
    assertThat(measured() - measuredBefore).as("without the time held").isLessThan(elapsed - 1);
  }

  /** Seconds spent on pulls. */
  private static double measured() {
    return service
        .metrics()
        .filter(line -> line.startsWith("egress_pull_duration_seconds_sum{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void otherWorkspacesDoNotWakeIt() throws Exception {
    CompletableFuture<HttpResponse<String>> answer = ask(service, LIST + "?wait=3");
    awaitHeld(service, 1);
    service.enter(UUID.randomUUID(), 2);
    assertThat(answer.get().body()).isEqualTo(EMPTY);
  }

  @Test
  void isRefusedOnceItsKeyIsDeleted() throws Exception {
    try (Service twin = service.twin()) {
      CompletableFuture<HttpResponse<String>> answer = ask(twin, WAIT);
      CompletableFuture<HttpResponse<String>> other = ask(twin, WAIT, twin.mintKey(workspace));
      awaitHeld(twin, 2);
      String keys = "/internal/v1/workspaces/" + workspace + "/api-keys";
      String id =
          new JsonObject(service.internal("GET", keys, "").body())
              .getJsonArray("api_keys")
              .getJsonObject(0)
              .getString("id");
      assertThat(service.internal("DELETE", keys + "/" + id, "").statusCode()).isEqualTo(204);

      assertError(answer.get(), 401, "deleted or expired API key");
      awaitHeld(twin, 1);
      service.enter(workspace, 1);
      assertThat(other.get().statusCode()).isEqualTo(200);
    }
  }

  @Test
  void survivesTheLossOfAllConnectionsToTheDatabase() throws Exception {
    String url = requireNonNull(service.environment.get("EGRESS_DATABASE_URL"));
    try (TcpProxy proxy = TcpProxy.open(URI.create(url).getPort());
        Service twin = service.twin(Map.of("EGRESS_DATABASE_URL", proxy.url(url)))) {
      CompletableFuture<HttpResponse<String>> answer = ask(twin, WAIT);
      awaitHeld(twin, 1);
      proxy.reset();
      UUID id = service.enter(workspace, 1).get(0);
      assertThat(answer.get().statusCode()).as(answer.get().body()).isEqualTo(200);
      assertThat(idsOf(JSON.readTree(answer.get().body()))).containsExactly(id.toString());
    }
  }

  @Test
  void isAnsweredWhenTheServiceStops() throws Exception {
    try (Service twin = service.twin()) {
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        answers.add(ask(twin, WAIT));
      }
      awaitHeld(twin, 5);
      Future<Void> closing = twin.app.close();
      for (CompletableFuture<HttpResponse<String>> answer : answers) {
        assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).body()).isEqualTo(EMPTY);
      }
      Service.await(closing);
    }
  }

  @Test
  void endsWhenItsClientLeaves() {
    List<RawClient> waiting = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      waiting.add(RawClient.to(service.app.publicPort()).send(request(30)));
    }
    awaitHeld(service, 6);
    waiting.subList(0, 3).forEach(RawClient::reset);
    awaitHeld(service, 3);
    waiting.subList(3, 6).forEach(RawClient::close);
    awaitHeld(service, 0);
  }

  @Test
  void aClientThatSendsNothingMoreIsAnsweredAtOnce() {
    long before = System.nanoTime();
    try (RawClient client = RawClient.to(service.app.publicPort()).send(request(30)).sentAll()) {
      assertThat(client.rest()).startsWith("HTTP/1.1 200").contains("\"captures\":[]");
    }
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(PATIENCE);
  }

  /** It is idle until it was read and its key was found, which takes long on a busy machine. */
  @Test
  void isNotIdle() {
    try (Service hasty =
            service.twin(
                Map.of(
                    "idle", "2s",
                    "pull-stall", "100ms",
                    "memory-wait", "100ms"));
        RawClient client = RawClient.to(hasty.app.publicPort()).send(request(4))) {
      client.await("HTTP/1.1 200").await("\"hasNextPage\":false}}");
      assertThat(client.rest()).as("it is closed once it is idle").doesNotContain("HTTP/1.1");
    }
  }

  @Test
  void asManyAsFitAreHeld() throws Exception {
    try (Service small = service.twin(Map.of("pulls-waiting", "20"))) {
      List<CompletableFuture<HttpResponse<String>>> held = new ArrayList<>();
      held.add(ask(small, WAIT));
      held.add(ask(small, WAIT));
      awaitHeld(small, 2);
      HttpResponse<String> ofWorkspace = small.pull(WAIT, small.mintKey(workspace));
      assertError(ofWorkspace, 429, "this workspace already has 2 requests that wait");
      assertThat(ofWorkspace.headers().firstValue("retry-after")).contains("1");

      List<CompletableFuture<HttpResponse<String>>> ofOthers = new ArrayList<>();
      for (int others = 0; others < 9; others++) {
        String another = small.mintKey(UUID.randomUUID());
        ofOthers.add(ask(small, WAIT, another));
        ofOthers.add(ask(small, WAIT, another));
      }
      awaitHeld(small, 20);
      HttpResponse<String> ofProcess = small.pull(WAIT, small.mintKey(UUID.randomUUID()));
      assertError(ofProcess, 503, "too many requests wait");
      assertThat(ofProcess.headers().firstValue("retry-after")).contains("1");
      assertThat(small.pull(LIST, key).body()).as("does not wait").isEqualTo(EMPTY);
      assertThat(ofOthers).noneMatch(CompletableFuture::isDone);

      UUID id = service.enter(workspace, 1).get(0);
      for (CompletableFuture<HttpResponse<String>> answer : held) {
        assertThat(idsOf(JSON.readTree(answer.get().body()))).containsExactly(id.toString());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "31", "1.5", "1s", "+1", "%201", "100", "1&wait=1", "1e1"})
  void refusesAnInvalidWait(String wait) throws Exception {
    assertError(
        service.pull(LIST + "?wait=" + wait, key), 400, "wait must be one whole number of seconds");
  }

  @Test
  void zeroIsNoWait() {
    assertThat(service.pull(LIST + "?wait=0", key).body()).isEqualTo(EMPTY);
  }

  private CompletableFuture<HttpResponse<String>> ask(Service from, String path) {
    return ask(from, path, key);
  }

  private CompletableFuture<HttpResponse<String>> ask(Service from, String path, String with) {
    return CompletableFuture.supplyAsync(() -> from.pull(path, with), clients);
  }

  private String request(int seconds) {
    return "GET %s?wait=%d HTTP/1.1\r\nhost: a\r\nauthorization: Bearer %s\r\n\r\n"
        .formatted(LIST, seconds, key);
  }

  private static void awaitHeld(Service where, int count) {
    await().until(() -> where.metrics().anyMatch(("egress_pull_held " + (double) count)::equals));
  }

  private static String endCursor(HttpResponse<String> page) throws Exception {
    return JSON.readTree(page.body()).path("pageInfo").path("endCursor").textValue();
  }
}
