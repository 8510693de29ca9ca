package io.egress.api;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.http.Routes;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every call of the internal listener has. A new one fails here until it has it, too. */
class RouteTableTest {
  private static final String WORKSPACE = "/internal/v1/workspaces/:workspace";

  private static final String PIPELINE = "the pipeline describes what was recorded";

  /** With the reason. */
  private static final Map<String, String> NOT_AUDITED =
      Map.of(
          "POST " + WORKSPACE + "/endpoints/:id/skip",
          "StreamEndpointsApiTest: a receiver has to hold the endpoint before",
          "POST " + WORKSPACE + "/replays",
          "each replay that it starts has an entry; here it starts none",
          "PUT /internal/v1/captures/:id",
          PIPELINE,
          "POST /internal/v1/captures",
          PIPELINE,
          "PATCH /internal/v1/captures/:id/participants/:label",
          PIPELINE,
          "PUT /internal/v1/members/:id",
          PIPELINE,
          "PUT /internal/v1/devices/:id",
          PIPELINE);

  /** With the reason. */
  private static final Map<String, String> WITHOUT_IDEMPOTENCY_KEY =
      Map.of(
          "POST /internal/v1/captures",
          "each line has the id of its capture",
          "POST /internal/v1/secret-keys/reseal",
          "a repetition changes nothing",
          "POST /internal/v1/queue/rebuild",
          "a requested rebuild is not requested twice",
          "POST " + WORKSPACE + "/endpoints/:id/test",
          "a test is sent each time",
          "POST " + WORKSPACE + "/endpoints/:id/skip",
          "a repetition finds nothing to skip",
          "POST " + WORKSPACE + "/endpoints/:id/seek",
          "a repetition goes to the same place",
          "POST " + WORKSPACE + "/deliveries/:id/redeliver",
          "a delivery is sent each time",
          "POST " + WORKSPACE + "/endpoints/:id/replays",
          "receivers recognize a capture that they have",
          "POST " + WORKSPACE + "/replays",
          "a second one finds nothing left");

  /**
   * Answers that do not end at once, of both listeners, with the test of what becomes of a client
   * that reads them slowly. All others are made whole, so that a slow client holds nothing but
   * them.
   */
  private static final Map<String, String> STREAMED =
      Map.of(
          "GET /api/v1/captures",
          "BackPressureTest",
          "GET /api/v1/captures/:id",
          "BackPressureTest",
          "GET /api/v1/changes",
          "BackPressureTest",
          "GET /api/v1/inventory",
          "BackPressureTest",
          "GET /internal/v1/audit",
          "NeighborsTest",
          "GET " + WORKSPACE + "/audit",
          "NeighborsTest");

  /** A call of the pipeline, or of the application, has no page. */
  private static final String NO_PAGE = "none";

  /** Where a person makes the call on the settings page. */
  private static final Map<String, String> PAGES =
      Map.ofEntries(
          Map.entry("PUT /internal/v1/captures/:id", NO_PAGE),
          Map.entry("GET /internal/v1/captures/:id", "GET /captures/:id"),
          Map.entry("GET /internal/v1/captures/:id/copies", "GET /captures/:id"),
          Map.entry("DELETE /internal/v1/captures/:id", "POST /captures/:id/erase"),
          Map.entry("GET /internal/v1/workspaces", "GET /portal/operator"),
          Map.entry("GET " + WORKSPACE, NO_PAGE),
          Map.entry("PATCH " + WORKSPACE, NO_PAGE),
          Map.entry("DELETE " + WORKSPACE, NO_PAGE),
          Map.entry("DELETE " + WORKSPACE + "/members/:id", NO_PAGE),
          Map.entry("POST /internal/v1/captures", NO_PAGE),
          Map.entry("PATCH /internal/v1/captures/:id/participants/:label", NO_PAGE),
          Map.entry("PUT /internal/v1/members/:id", NO_PAGE),
          Map.entry("PUT /internal/v1/devices/:id", NO_PAGE),
          Map.entry("GET /internal/v1/openapi.json", NO_PAGE),
          Map.entry("GET /internal/v1/secret-keys", NO_PAGE),
          Map.entry("POST /internal/v1/secret-keys/reseal", NO_PAGE),
          Map.entry("GET /internal/v1/database", NO_PAGE),
          Map.entry("GET /internal/v1/queue", NO_PAGE),
          Map.entry("POST /internal/v1/queue/rebuild", NO_PAGE),
          Map.entry("GET /internal/v1/audit", NO_PAGE),
          Map.entry("POST /internal/v1/portal-links", NO_PAGE),
          Map.entry("POST " + WORKSPACE + "/portal-links", NO_PAGE),
          Map.entry("GET /internal/v1/portal-sessions", NO_PAGE),
          Map.entry("DELETE /internal/v1/portal-sessions", NO_PAGE),
          Map.entry("GET " + WORKSPACE + "/portal-sessions", NO_PAGE),
          Map.entry("GET " + WORKSPACE + "/readers", "GET /keys"),
          Map.entry("DELETE " + WORKSPACE + "/portal-sessions", NO_PAGE),
          Map.entry(
              "GET " + WORKSPACE + "/endpoints/:id/verification",
              "GET /endpoints/:id/verification"),
          Map.entry("GET " + WORKSPACE + "/audit", "GET /audit"),
          Map.entry("POST " + WORKSPACE + "/api-keys", "POST /keys"),
          Map.entry("GET " + WORKSPACE + "/api-keys", "GET /keys"),
          Map.entry("PATCH " + WORKSPACE + "/api-keys/:id", "POST /keys/:id/expiry"),
          Map.entry("DELETE " + WORKSPACE + "/api-keys/:id", "POST /keys/:id/delete"),
          Map.entry("POST " + WORKSPACE + "/endpoints", "POST /endpoints"),
          Map.entry("GET " + WORKSPACE + "/endpoints", "GET /endpoints"),
          Map.entry("GET " + WORKSPACE + "/endpoints/:id", "GET /endpoints/:id"),
          Map.entry("PATCH " + WORKSPACE + "/endpoints/:id", "POST /endpoints/:id/change"),
          Map.entry("DELETE " + WORKSPACE + "/endpoints/:id", "POST /endpoints/:id/delete"),
          Map.entry("POST " + WORKSPACE + "/endpoints/:id/clone", "POST /endpoints/:id/clone"),
          Map.entry(
              "POST " + WORKSPACE + "/endpoints/:id/rotate-secret", "POST /endpoints/:id/rotate"),
          Map.entry(
              "DELETE " + WORKSPACE + "/endpoints/:id/previous-secret",
              "POST /endpoints/:id/end-overlap"),
          Map.entry("POST " + WORKSPACE + "/endpoints/:id/test", "POST /endpoints/:id/test"),
          Map.entry("GET " + WORKSPACE + "/endpoints/:id/pages", "GET /endpoints/:id"),
          Map.entry("GET " + WORKSPACE + "/pages/:id", "GET /endpoints/:id"),
          Map.entry("POST " + WORKSPACE + "/endpoints/:id/skip", "POST /endpoints/:id/skip"),
          Map.entry("POST " + WORKSPACE + "/endpoints/:id/seek", NO_PAGE),
          Map.entry("GET " + WORKSPACE + "/endpoints/:id/deliveries", "GET /deliveries"),
          Map.entry("GET " + WORKSPACE + "/captures", "GET /captures"),
          Map.entry("GET " + WORKSPACE + "/deliveries", "GET /deliveries"),
          Map.entry("GET " + WORKSPACE + "/deliveries/:id", "GET /deliveries/:id"),
          Map.entry(
              "POST " + WORKSPACE + "/deliveries/:id/redeliver", "POST /deliveries/:id/redeliver"),
          Map.entry("POST " + WORKSPACE + "/endpoints/:id/replays", "POST /endpoints/:id/replay"),
          Map.entry("GET " + WORKSPACE + "/endpoints/:id/replays", "GET /replays"),
          Map.entry("POST " + WORKSPACE + "/replays", "POST /replays"),
          Map.entry("GET " + WORKSPACE + "/replays/:id", "GET /replays/:id"),
          Map.entry("DELETE " + WORKSPACE + "/replays/:id", "POST /replays/:id/cancel"));

  /** Actions that {@link EveryCall} does not cause. */
  private static final Set<String> OTHER_ACTIONS =
      Set.of(
          "captures.expired",
          "endpoint.skipped",
          "portal_session.opened",
          "queue.lost",
          "redelivery.cancelled");

  private static Service service;

  /** What was seen of all calls, by their routes. */
  private static final Set<String> audited = new TreeSet<>();

  private static final Set<String> honoring = new TreeSet<>();
  private static final Set<String> seen = new TreeSet<>();
  private static final Set<String> streamed = new TreeSet<>();

  @BeforeAll
  static void makeEveryCall() {
    service = Service.startAsWithPooler();
    new EveryCall(RouteTableTest::make).make();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static HttpResponse<String> make(String method, String path, String body) {
    String route = route(method, path);
    boolean takesKey = method.equals("POST") && !WITHOUT_IDEMPOTENCY_KEY.containsKey(route);
    String key = takesKey ? UUID.randomUUID().toString() : null;
    long before = auditEntries();
    HttpResponse<String> answer = send(service, method, path, body, key);
    if (auditEntries() > before) {
      audited.add(route);
    }
    if (answer.statusCode() < 300) {
      note(route, answer);
    }
    if (method.equals("GET")) {
      note(route, lines(path));
    }
    if (takesKey
        && answer.statusCode() < 300
        && send(service, method, path, body, key).body().equals(answer.body())) {
      honoring.add(route);
    }
    return answer;
  }

  /** What some lists also are, as a whole. */
  private static HttpResponse<String> lines(String path) {
    return Service.send(
        HttpRequest.newBuilder(URI.create(service.internalUrl(path)))
            .header("authorization", "Bearer " + Service.TOKEN)
            .header("accept", "application/x-ndjson"));
  }

  private static void note(String route, HttpResponse<String> answer) {
    seen.add(route);
    boolean hasLength = answer.headers().firstValue("content-length").isPresent();
    if (!hasLength && answer.statusCode() != 204) {
      streamed.add(route);
    }
  }

  @Test
  void everyChangeIsAudited() {
    assertThat(audited)
        .isEqualTo(routes(call -> !call.method().equals(HttpMethod.GET), NOT_AUDITED.keySet()));
  }

  @Test
  void everyPostHonorsAnIdempotencyKey() {
    assertThat(honoring)
        .isEqualTo(
            routes(
                call -> call.method().equals(HttpMethod.POST), WITHOUT_IDEMPOTENCY_KEY.keySet()));
  }

  @Test
  void everyCallHasAPlaceInThePageOrNone() {
    Set<String> pages =
        service.app.pages().stream()
            .map(page -> page.method() + " " + page.path().replace("/portal/:workspace", ""))
            .collect(toCollection(TreeSet::new));
    pages.add(NO_PAGE);

    assertThat(new TreeSet<>(PAGES.keySet())).isEqualTo(routes(_ -> true, Set.of()));
    assertThat(pages).containsAll(PAGES.values());
  }

  @Test
  void everyActionIsDocumented() throws IOException {
    Set<String> actions = new TreeSet<>(OTHER_ACTIONS);
    service
        .query("select distinct action from audit")
        .forEach(row -> actions.add(row.getString("action")));

    String page = Files.readString(Path.of("..", "docs", "integrating.md"));
    int list = page.indexOf("Actions are `");
    Set<String> documented =
        Pattern.compile("`([a-z_]+\\.[a-z_]+)`")
            .matcher(page.substring(list, page.indexOf("\n\n", list)))
            .results()
            .map(action -> action.group(1))
            .collect(toCollection(TreeSet::new));
    assertThat(documented).isEqualTo(actions);
  }

  @Test
  void everyAnswerIsWholeOrKnownToBeStreamed() {
    UUID workspace = UUID.randomUUID();
    UUID capture = UUID.randomUUID();
    service.put(capture, Service.capture(workspace));
    String key = service.mintKey(workspace);
    for (String path :
        List.of(
            "/api/v1/captures",
            "/api/v1/captures/" + capture,
            "/api/v1/changes",
            "/api/v1/inventory",
            "/api/v1/openapi.json",
            "/.well-known/endpoints/" + workspace + "/jwks.json")) {
      note(route("GET", path), service.pull(path, key));
    }

    assertThat(seen)
        .containsAll(
            service.app.calls().stream()
                .filter(call -> call.method().equals(HttpMethod.GET))
                .map(call -> call.method() + " " + call.path())
                .filter(call -> !call.contains("/health/"))
                .toList());
    assertThat(streamed).isEqualTo(STREAMED.keySet());
  }

  /** A client that begins a body and sends no more of it is answered, whatever it has called. */
  @Test
  @Tag("full")
  void everyBodyThatStallsEnds() {
    Map<String, RawClient> stalled = new TreeMap<>();
    for (Routes.Call call : service.app.calls()) {
      if (!call.method().equals(HttpMethod.GET) && call.path().startsWith("/internal/")) {
        String path = call.path().replaceAll(":\\w+", "00000000-0000-4000-8000-000000000001");
        stalled.put(
            call.method() + " " + call.path(),
            RawClient.to(service.app.internalPort())
                .send(
                    RawClient.internal(
                        call.method() + " " + path,
                        "connection: close",
                        "content-type: "
                            + (path.endsWith("/captures")
                                ? "application/x-ndjson"
                                : "application/json"),
                        "content-length: 1000"))
                .send("{"));
      }
    }

    stalled.forEach((call, client) -> assertThat(client.rest()).as(call).startsWith("HTTP/1.1 "));
    assertThat(stalled).hasSizeGreaterThan(20);
  }

  static HttpResponse<String> send(Service service, String method, String path, String body) {
    return send(service, method, path, body, null);
  }

  private static HttpResponse<String> send(
      Service service, String method, String path, String body, @Nullable String idempotencyKey) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(service.internalUrl(path)))
            .header("authorization", "Bearer " + Service.TOKEN)
            .method(method, BodyPublishers.ofString(body));
    if (path.equals("/internal/v1/captures")) {
      request.header("content-type", "application/x-ndjson");
    }
    if (idempotencyKey != null) {
      request.header("idempotency-key", idempotencyKey);
    }
    return Service.send(request);
  }

  private static long auditEntries() {
    return service.query("select count(*) from audit").iterator().next().getLong(0);
  }

  private static Set<String> routes(Predicate<Routes.Call> kind, Set<String> except) {
    Set<String> routes =
        service.app.calls().stream()
            .filter(call -> call.path().startsWith("/internal/") && kind.test(call))
            .map(call -> call.method() + " " + call.path())
            .collect(toCollection(TreeSet::new));
    assertThat(routes).as("exceptions that are no longer needed").containsAll(except);
    routes.removeAll(except);
    return routes;
  }

  private static String route(String method, String path) {
    String plain = URI.create(path).getPath();
    return service.app.calls().stream()
        .filter(call ->
            call.method().name().equals(method)
                && plain.matches(call.path().replaceAll(":\\w+", "[^/]+")))
        .map(call -> method + " " + call.path())
        .findFirst()
        .orElseThrow();
  }
}
