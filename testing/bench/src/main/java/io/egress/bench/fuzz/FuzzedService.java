package io.egress.bench.fuzz;

import io.egress.bench.fuzz.Request.Header;
import io.egress.cli.InternalApi;
import io.egress.embedded.EmbeddedOptions;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.settings.Settings;
import io.egress.standalone.run.Backends;
import io.egress.standalone.run.Standalone;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The service in this JVM with some captures, and valid requests to it. */
final class FuzzedService {
  private static final String TOKEN = UUID.randomUUID().toString();
  private static final String JSON = "application/json";
  private static final int CAPTURES = 30;
  private static final long LOOK_MILLIS = 50;
  private static final Duration CALL_MAX = Duration.ofSeconds(30);
  private static final Pattern RESTARTS =
      Pattern.compile("(?m)^egress_dispatcher_restarts_total\\{.*reason=\"failure\".*} (\\S+)$");

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(CALL_MAX).build();

  /**
   * Captures are written and pulled in one workspace; endpoints of the other one never receive any.
   */
  private final UUID workspace = UUID.randomUUID();

  private final UUID emptyWorkspace = UUID.randomUUID();
  private final Standalone service;
  private final InternalApi internal;
  private final String key;
  private final List<UUID> captures = new ArrayList<>();

  private FuzzedService(Standalone service) throws IOException, InterruptedException {
    this.service = service;
    this.internal = new InternalApi("127.0.0.1", internalPort(), TOKEN);
    this.key = mintKey(workspace).getString("key");
    for (int i = 0; i < CAPTURES; i++) {
      captures.add(putCapture(workspace));
    }
    long end = System.nanoTime() + CALL_MAX.toNanos();
    while (pull("/api/v1/captures").body().split("emitted_at", -1).length <= CAPTURES) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException(
            "the captures have not entered the stream within " + CALL_MAX.toSeconds() + " s");
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  static FuzzedService start(RunningProcess process) throws IOException, InterruptedException {
    Map<String, String> environment = new TreeMap<>();
    for (String name :
        List.of("EGRESS_DATABASE_URL", "EGRESS_KAFKA_BOOTSTRAP", "EGRESS_TOPIC_PREFIX")) {
      String given = System.getenv(name);
      if (given != null) {
        environment.put(name, given);
      }
    }
    environment.put("EGRESS_INTERNAL_TOKEN", TOKEN);
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("EGRESS_PUBLIC_HOST", "127.0.0.1");
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_SECRET_KEY", SecretBox.newKey());
    environment.put("EGRESS_TOPIC_PARTITIONS", "2");
    environment.put("EGRESS_ALLOW_HTTP_ENDPOINTS", "true");
    environment.put("EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.1/32");
    environment.put("EGRESS_ATTEMPT_TIMEOUT", "2s");
    environment.put("EGRESS_RETRY_SCHEDULE", "1s,1s,2s,2s,5s,5s");
    environment.put("EGRESS_ACCESS_LOG", "false");
    Settings settings =
        Settings.from(Backends.complete(process, environment, EmbeddedOptions.scratch()));
    return new FuzzedService(Standalone.start(process, settings));
  }

  int publicPort() {
    return service.api().publicPort();
  }

  int internalPort() {
    return service.api().internalPort();
  }

  JsonObject createEndpoint(UUID workspaceId, String url) {
    return internal.call(
        "POST", "/workspaces/" + workspaceId + "/endpoints", new JsonObject().put("url", url));
  }

  UUID putCapture(UUID workspaceId) {
    UUID id = UUID.randomUUID();
    internal.call("PUT", "/captures/" + id, capture(workspaceId));
    return id;
  }

  private JsonObject mintKey(UUID workspaceId) {
    return internal.call(
        "POST", "/workspaces/" + workspaceId + "/api-keys", new JsonObject().put("name", "fuzz"));
  }

  /** Whether it still serves other clients while being fuzzed. */
  void requireWorking() throws IOException, InterruptedException {
    putCapture(workspace);
    HttpResponse<String> page = pull("/api/v1/captures?limit=2");
    if (page.statusCode() != 200 || !page.body().contains("\"hasNextPage\":true")) {
      throw new IllegalStateException(page.statusCode() + " " + page.body());
    }
  }

  void requireReady() throws IOException, InterruptedException {
    for (int port : new int[] {publicPort(), internalPort()}) {
      HttpResponse<String> ready = get(port, "/health/ready", "");
      if (ready.statusCode() != 200) {
        throw new IllegalStateException("not ready: " + ready.body());
      }
    }
  }

  /** The lines of the metrics that show memory reserved by requests, or waited for. */
  void requireNoMemoryInUse() throws IOException, InterruptedException {
    List<String> inUse =
        get(internalPort(), "/metrics", "")
            .body()
            .lines()
            .filter(line -> line.startsWith("egress_memory_") && !line.endsWith(" 0.0"))
            .toList();
    if (!inUse.isEmpty()) {
      throw new IllegalStateException("memory is not released: " + inUse);
    }
  }

  /** How often a dispatcher loop was restarted after an unexpected failure. */
  double dispatcherRestarts() throws IOException, InterruptedException {
    return RESTARTS
        .matcher(get(internalPort(), "/metrics", "").body())
        .results()
        .map(MatchResult::group)
        .map(line -> line.substring(line.lastIndexOf(' ') + 1))
        .mapToDouble(Double::parseDouble)
        .sum();
  }

  private HttpResponse<String> pull(String path) throws IOException, InterruptedException {
    return get(publicPort(), path, key);
  }

  private HttpResponse<String> get(int port, String path, String bearer)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(CALL_MAX)
            .header("authorization", "Bearer " + bearer)
            .build(),
        BodyHandlers.ofString());
  }

  List<Request> publicRequests() throws IOException, InterruptedException {
    String page = pull("/api/v1/captures?limit=3").body();
    String cursor = new JsonObject(page).getJsonObject("pageInfo").getString("endCursor");
    return List.of(
        publicRequest("/api/v1/captures?limit=10"),
        publicRequest("/api/v1/captures?limit=5&after=" + cursor),
        publicRequest("/api/v1/captures?limit=2").withHeader("accept-encoding", "gzip, br"),
        publicRequest("/api/v1/captures?limit=2&wait=1"),
        publicRequest("/api/v1/captures").withHeader("accept", "application/x-ndjson"),
        publicRequest("/api/v1/captures?limit=2").withMethod("HEAD"),
        publicRequest("/api/v1/captures/" + captures.get(0)),
        publicRequest("/api/v1/captures/" + captures.get(1)).withHeader("accept-encoding", "gzip"),
        publicRequest("/api/v1/openapi.json"),
        publicRequest("/health/live"),
        publicRequest("/health/ready"),
        publicRequest("/api/v1/captures").withMethod("OPTIONS"));
  }

  private Request publicRequest(String target) {
    return request("GET", target, key);
  }

  List<Request> internalRequests() throws IOException, InterruptedException {
    List<Request> requests = new ArrayList<>();
    requests.add(internalRequest("GET", "/metrics"));
    requests.add(internalRequest("GET", "/health/ready"));
    requests.add(internalRequest("GET", "/internal/v1/openapi.json"));
    for (UUID capture : captures) {
      requests.add(
          internalRequest("PUT", "/internal/v1/captures/" + capture, capture(workspace), JSON));
    }
    for (int i = 0; i < CAPTURES / 5; i++) {
      requests.add(imported());
      requests.addAll(renames());
      requests.addAll(administration());
      requests.addAll(pages());
    }
    return requests;
  }

  private Request imported() {
    StringBuilder lines = new StringBuilder();
    for (UUID capture : captures.subList(0, 3)) {
      lines.append(capture(workspace).put("id", capture.toString()).encode()).append('\n');
    }
    return internalRequest("POST", "/internal/v1/captures")
        .withHeader("content-type", "application/x-ndjson")
        .withBody(lines.toString());
  }

  private List<Request> renames() {
    JsonObject name =
        new JsonObject().put("workspace_id", workspace.toString()).put("name", "Ada Fischer");
    JsonObject member = new JsonObject().put("id", id()).put("name", "Ben").put("email", "b@x.org");
    return List.of(
        internalRequest("PUT", "/internal/v1/members/" + id(), name, JSON),
        internalRequest("PUT", "/internal/v1/devices/" + id(), name, JSON),
        internalRequest(
            "PATCH",
            "/internal/v1/captures/" + captures.get(2) + "/participants/S0",
            new JsonObject().put("member", member).put("match_confidence", 0.5),
            JSON));
  }

  private List<Request> administration() {
    String base = "/internal/v1/workspaces/" + emptyWorkspace;
    JsonObject endpoint =
        new JsonObject()
            .put("url", "https://receiver.invalid/hook")
            .put("description", "fuzz")
            .put("full_history", true);
    JsonObject change = new JsonObject().put("paused", true).put("description", "changed");
    String endpointId = createEndpoint(emptyWorkspace, endpoint.getString("url")).getString("id");
    String keyId = mintKey(emptyWorkspace).getString("id");
    return List.of(
        internalRequest("POST", base + "/endpoints", endpoint, JSON),
        internalRequest("POST", base + "/endpoints", endpoint, JSON)
            .withHeader("idempotency-key", id()),
        internalRequest("GET", base + "/endpoints/" + endpointId),
        internalRequest("PATCH", base + "/endpoints/" + endpointId, change, JSON),
        internalRequest("DELETE", base + "/endpoints/" + endpointId),
        internalRequest("POST", base + "/api-keys", new JsonObject().put("name", "fuzz"), JSON),
        internalRequest("POST", base + "/api-keys", new JsonObject().put("name", "fuzz"), JSON)
            .withHeader("idempotency-key", id()),
        internalRequest("DELETE", base + "/api-keys/" + keyId),
        internalRequest("GET", base + "/api-keys"),
        internalRequest("GET", base + "/audit?actor=fuzz&action=api_key.created&limit=3"),
        internalRequest("GET", "/internal/v1/audit?from=2026-01-31T09:30:00Z&thing_id=" + keyId),
        internalRequest("GET", base + "/audit").withHeader("accept", "application/x-ndjson"),
        internalRequest("GET", base + "/deliveries?state=pending&limit=2"),
        internalRequest("GET", base + "/deliveries/" + endpointId),
        internalRequest(
            "GET", base + "/endpoints/" + endpointId + "/deliveries?capture_id=" + keyId),
        internalRequest("GET", base + "/endpoints/" + endpointId + "/replays"),
        internalRequest("GET", base + "/replays/" + endpointId),
        internalRequest("GET", "/internal/v1/secret-keys"));
  }

  private List<Request> pages() throws IOException, InterruptedException {
    JsonObject link =
        internal.call(
            "POST",
            "/workspaces/" + emptyWorkspace + "/portal-links",
            new JsonObject().put("role", "admin").put("actor", "fuzz"));
    List<Request> requests =
        new FuzzedPages(internalPort(), emptyWorkspace.toString(), link.getString("url"))
            .requests(
                createEndpoint(emptyWorkspace, "https://receiver.invalid/page").getString("id"),
                mintKey(emptyWorkspace).getString("id"));
    JsonObject ofOperator =
        internal.call(
            "POST", "/portal-links", new JsonObject().put("role", "operator").put("actor", "fuzz"));
    requests.addAll(
        new FuzzedPages(internalPort(), "operator", ofOperator.getString("url"))
            .ofOperator(emptyWorkspace.toString()));
    return requests;
  }

  private static Request internalRequest(String method, String target) {
    return request(method, target, TOKEN);
  }

  private static Request internalRequest(
      String method, String target, JsonObject body, String type) {
    return internalRequest(method, target).withHeader("content-type", type).withBody(body.encode());
  }

  private static Request request(String method, String target, String bearer) {
    return new Request(
        method,
        target,
        List.of(
            new Header("host", "127.0.0.1"),
            new Header("authorization", "Bearer " + bearer),
            new Header("user-agent", "fuzz"),
            new Header("accept", "*/*")),
        "");
  }

  /** Names of its own, so that a rename affects few captures. */
  private static JsonObject capture(UUID workspaceId) {
    JsonObject member =
        new JsonObject().put("id", id()).put("name", "Ada").put("email", "ada@example.com");
    JsonObject participant =
        new JsonObject()
            .put("label", "S0")
            .put("member", member)
            .put("match_confidence", 0.75)
            .put("speech_ms", 1_500);
    JsonObject segment =
        new JsonObject()
            .put("start_ms", 0)
            .put("end_ms", 1_500)
            .put("speaker", "S0")
            .put("text", "so the numbers look better");
    return new JsonObject()
        .put("workspace_id", workspaceId.toString())
        .put("mode", "ambient")
        .put("title", "Numbers")
        .put("summary", "They look better.")
        .put("started_at", "2026-11-21T13:17:44.231Z")
        .put("ended_at", "2026-11-21T13:27:44Z")
        .put("duration_ms", 600_000)
        .put("device", new JsonObject().put("id", id()).put("name", "Kitchen"))
        .put("participants", new JsonArray().add(participant))
        .put("segments", new JsonArray().add(segment).add(segment.copy().putNull("speaker")));
  }

  private static String id() {
    return UUID.randomUUID().toString();
  }
}
