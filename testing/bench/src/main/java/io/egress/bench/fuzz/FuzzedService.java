package io.egress.bench.fuzz;

import io.egress.bench.fuzz.Request.Header;
import io.egress.cli.InternalApi;
import io.egress.embedded.EmbeddedOptions;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.settings.Settings;
import io.egress.standalone.demo.SampleConversations;
import io.egress.standalone.run.Backends;
import io.egress.standalone.run.Standalone;
import io.egress.testing.DescribedCall;
import io.egress.webhook.endpoint.SecretBox;
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
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The service in this JVM with some captures, and valid requests to it. */
final class FuzzedService {
  private static final String TOKEN = UUID.randomUUID().toString();
  private static final String NDJSON = "application/x-ndjson";

  /** They would end the workspace whose things are fuzzed, and publish all deliveries again. */
  private static final Set<String> NOT_FUZZED =
      Set.of("DELETE /internal/v1/workspaces/{workspace}", "POST /internal/v1/queue/rebuild");

  private static final int ROUNDS = 6;
  private static final int CAPTURES = 30;
  private static final int SEGMENTS = 2;
  private static final long LOOK_MILLIS = 50;
  private static final Duration CALL_MAX = Duration.ofSeconds(30);
  private static final Pattern RESTARTS =
      Pattern.compile("(?m)^egress_dispatcher_restarts_total\\{.*reason=\"failure\".*} (\\S+)$");

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(CALL_MAX).build();

  /**
   * Captures are written and pulled in one workspace; endpoints of the other one, which pages and
   * calls change, receive a single one.
   */
  private final UUID workspace = UUID.randomUUID();

  private final UUID administered = UUID.randomUUID();
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
    createEndpoint(administered, "https://receiver.invalid/page");
    putCapture(administered);
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
    internal.call("PUT", "/captures/" + id, new SampleConversations(1, workspaceId).next(SEGMENTS));
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

  private JsonObject document(int port, String path) throws IOException, InterruptedException {
    return new JsonObject(get(port, path, port == publicPort() ? key : TOKEN).body());
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

  /** Each call that the description has, in several variants. */
  List<Request> publicRequests() throws IOException, InterruptedException {
    JsonObject page = new JsonObject(pull("/api/v1/captures?limit=3").body());
    Map<String, String> values =
        Map.of(
            "id",
            captures.get(0).toString(),
            "after",
            page.getJsonObject("pageInfo").getString("endCursor"),
            "wait",
            "1",
            "limit",
            "5");
    List<Request> requests = new ArrayList<>();
    for (DescribedCall call : DescribedCall.of(document(publicPort(), "/api/v1/openapi.json"))) {
      Request plain = request(call.method(), call.filledPath(values), key);
      requests.add(plain);
      requests.add(plain.withTarget(plain.target() + call.filledQuery(values)));
      requests.add(plain.withHeader("accept-encoding", "gzip, br"));
      requests.add(plain.withHeader("accept", NDJSON));
      requests.add(plain.withMethod("HEAD"));
      requests.add(plain.withMethod("OPTIONS"));
    }
    return requests;
  }

  List<Request> internalRequests() throws IOException, InterruptedException {
    List<DescribedCall> calls =
        DescribedCall.of(document(internalPort(), "/internal/v1/openapi.json")).stream()
            .filter(call -> !NOT_FUZZED.contains(call.method() + " " + call.path()))
            .toList();
    List<Request> requests = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      String endpoint =
          createEndpoint(administered, "https://receiver.invalid/hook").getString("id");
      String apiKey = mintKey(administered).getString("id");
      for (DescribedCall call : calls) {
        // Captures have the largest bodies to parse.
        for (int i = isCapture(call) ? CAPTURES / ROUNDS : 1; i > 0; i--) {
          add(requests, call, Map.of("endpoints", endpoint, "api-keys", apiKey));
        }
      }
    }
    for (String place : List.of("/workspaces/" + administered, "")) {
      JsonObject role =
          new JsonObject().put("role", place.isEmpty() ? "operator" : "admin").put("actor", "fuzz");
      String link = internal.call("POST", place + "/portal-links", role).getString("url");
      requests.addAll(FuzzedPages.requests(internalPort(), link, workspace.toString()));
    }
    return requests;
  }

  private void add(List<Request> requests, DescribedCall call, Map<String, String> things) {
    boolean erases = call.method().equals("DELETE");
    String unknown = erases ? id() : captures.get(requests.size() % CAPTURES).toString();
    Map<String, String> values =
        Map.of(
            "id", things.getOrDefault(call.collection(), unknown),
            "workspace", administered.toString(),
            "workspace_id", workspace.toString());
    String body = call.filledBody(values);
    if (isCapture(call)) {
      body = withOwnNames(new JsonObject(body)).encode();
    } else if (call.contentType().equals(NDJSON)) {
      body = withOwnNames(new JsonObject(body)).put("id", unknown).encode() + "\n";
    }
    Request plain = request(call.method(), call.filledPath(values), TOKEN);
    if (body.isEmpty()) {
      requests.add(plain);
      requests.add(plain.withTarget(plain.target() + call.filledQuery(Map.of())));
      requests.add(plain.withHeader("accept", NDJSON));
    } else {
      Request described = plain.withHeader("content-type", call.contentType()).withBody(body);
      requests.add(described);
      requests.add(described.withHeader("idempotency-key", id()));
    }
  }

  private static boolean isCapture(DescribedCall call) {
    return call.method().equals("PUT") && call.path().endsWith("/captures/{id}");
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

  /** So that a rename affects few captures. */
  private static JsonObject withOwnNames(JsonObject capture) {
    capture.getJsonObject("device").put("id", id());
    capture.getJsonArray("participants").getJsonObject(0).getJsonObject("member").put("id", id());
    return capture;
  }

  private static String id() {
    return UUID.randomUUID().toString();
  }
}
