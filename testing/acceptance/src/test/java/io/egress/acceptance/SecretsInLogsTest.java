package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.egress.cli.InternalApi;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The whole service at the most verbose log level. */
@Execution(ExecutionMode.CONCURRENT)
class SecretsInLogsTest {
  private static final String TOKEN = "the-token-that-nobody-may-read";
  private static final String WRONG_TOKEN = "a-token-that-was-mistyped-once";
  private static final String WRONG_KEY = "service_" + "wRoNg".repeat(6) + "Xy";
  private static final String SECRET_KEY = SecretBox.newKey();
  private static final String SPOKEN = "what was said in confidence";
  private static final String URL_SECRET = "u7l-s3cr3t";

  private final HttpClient http = HttpClient.newHttpClient();
  private final UUID workspace = UUID.randomUUID();
  private final AtomicInteger received = new AtomicInteger();
  private final Path folder;
  private HttpServer receiver;

  SecretsInLogsTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @BeforeEach
  void receive() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(received.incrementAndGet() == 1 ? 503 : 200, -1);
          exchange.close();
        });
    receiver.start();
  }

  @AfterEach
  void stop() {
    receiver.stop(0);
  }

  @Test
  void showIdsAndNoSecretsAtTraceLevel() throws Exception {
    try (CommandLine up = CommandLine.start(environment(), "up")) {
      String internalUrl = up.awaitOutput("internal API on (http://127.0.0.1:\\d+/internal/v1)");
      String pullUrl = up.awaitOutput("up: pull on (http://localhost:\\d+/api/v1/captures)");
      InternalApi api = new InternalApi("127.0.0.1", URI.create(internalUrl).getPort(), TOKEN);
      JsonObject minted = create(api, "api-keys", new JsonObject().put("name", "a"));
      String key = minted.getString("key");
      JsonObject endpoint = create(api, "endpoints", new JsonObject().put("url", receiverUrl()));
      UUID capture = UUID.randomUUID();
      api.call("PUT", "/captures/" + capture, capture());
      await().until(() -> Pull.captures(pullUrl, key).size() == 1);
      await().until(() -> received.get() >= 2);
      assertThat(status(pullUrl + "?after=" + key, key, "")).isEqualTo(400);
      assertThat(status(pullUrl, WRONG_KEY, "")).isEqualTo(401);
      assertThat(status(internalUrl + "/captures", WRONG_TOKEN, "")).isEqualTo(401);
      assertThat(status(internalUrl + "/captures", TOKEN, "{\"title\": \"" + SPOKEN))
          .isIn(200, 400, 415);
      String link =
          create(api, "portal-links", new JsonObject().put("role", "admin")).getString("url");
      String cookie = openPage(link);
      up.awaitOutput("\"message\":\"Delivered\"");
      up.terminate();
      assertThat(up.awaitExit()).as(up.output()).isZero();

      List<JsonObject> lines = lines(up.output());
      assertThat(up.output())
          .doesNotContain(key, key.substring(8), TOKEN, WRONG_TOKEN, WRONG_KEY, SECRET_KEY)
          .doesNotContain(SPOKEN, URL_SECRET, databasePassword())
          .doesNotContain(endpoint.getString("secret"))
          .doesNotContain(link.substring(link.indexOf('#') + 1), cookie);
      assertThat(lines.stream().filter(line -> line.getString("logger").startsWith("io.egress")))
          .noneMatch(line -> line.getString("level").equals("ERROR"));
      assertThat(lines)
          .anyMatch(line -> minted.getString("id").equals(line.getString("api_key_id")));
      assertThat(about(lines, "Attempt failed"))
          .containsEntry("endpoint_id", endpoint.getString("id"))
          .containsEntry("capture_id", capture.toString())
          .containsEntry("status", 503)
          .containsEntry("level", "DEBUG")
          .containsEntry("delivery_id", about(lines, "Delivered").get("delivery_id"));
    }
  }

  @Test
  void reportInvalidLogSettings() throws Exception {
    Map<String, String> environment = environment();
    environment.put("EGRESS_LOG_FORMAT", "xml");
    environment.put("EGRESS_LOG_LEVEL", "loud");
    try (CommandLine api = CommandLine.start(environment, "api")) {
      assertThat(api.awaitExit()).isEqualTo(2);
      assertThat(api.output())
          .contains("EGRESS_LOG_FORMAT: must be one of", "EGRESS_LOG_LEVEL: must be one of");
    }
  }

  /** Everything on the error stream is a line of JSON; the few lines of the console are not it. */
  private static List<JsonObject> lines(String output) {
    Stream<String> logged =
        output
            .lines()
            .filter(line -> !line.startsWith("up: pull on") && !line.startsWith("Picked up JAVA"));
    return logged.map(JsonObject::new).toList();
  }

  private static Map<String, Object> about(List<JsonObject> lines, String message) {
    return lines.stream()
        .filter(line -> message.equals(line.getString("message")))
        .findFirst()
        .orElseThrow()
        .getMap();
  }

  private JsonObject create(InternalApi api, String what, JsonObject body) {
    return api.call("POST", "/workspaces/" + workspace + "/" + what, body);
  }

  /** As a browser does: it sends no fragment, and the script of the page puts that into a form. */
  private String openPage(String link) throws Exception {
    String page = link.substring(0, link.indexOf('#'));
    assertThat(status(page, "", "")).isEqualTo(200);
    HttpRequest form =
        HttpRequest.newBuilder(URI.create(page))
            .header("content-type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString("token=" + link.substring(link.indexOf('#') + 1)))
            .build();
    String cookie =
        http.send(form, BodyHandlers.discarding()).headers().firstValue("set-cookie").orElseThrow();
    return cookie.substring(cookie.indexOf('=') + 1, cookie.indexOf(';'));
  }

  private int status(String url, String bearer, String body) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url)).header("authorization", "Bearer " + bearer);
    if (!body.isEmpty()) {
      request.header("content-type", "application/x-ndjson").POST(BodyPublishers.ofString(body));
    }
    return http.send(request.build(), BodyHandlers.discarding()).statusCode();
  }

  private JsonObject capture() {
    JsonObject segment = new JsonObject().put("start_ms", 0).put("end_ms", 900).put("text", SPOKEN);
    return new JsonObject()
        .put("workspace_id", workspace.toString())
        .put("mode", "manual")
        .put("started_at", "2026-01-02T03:04:05Z")
        .put("device", new JsonObject().put("id", UUID.randomUUID().toString()))
        .put("participants", new JsonArray())
        .put("segments", new JsonArray().add(segment));
  }

  private String databasePassword() throws IOException {
    return Files.readString(folder.resolve("data/postgres/password")).strip();
  }

  private String receiverUrl() {
    return "http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook?token=" + URL_SECRET;
  }

  private Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_DATA_DIR", folder.resolve("data").toString());
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("EGRESS_INTERNAL_TOKEN", TOKEN);
    environment.put("EGRESS_SECRET_KEY", SECRET_KEY);
    environment.put("EGRESS_ALLOW_HTTP_ENDPOINTS", "true");
    environment.put("EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.0/8");
    environment.put("EGRESS_RETRY_SCHEDULE", "1s,1s");
    environment.put("EGRESS_LOG_FORMAT", "json");
    environment.put("EGRESS_LOG_LEVEL", "trace");
    environment.put("JAVA_TOOL_OPTIONS", "-Dlogback.configurationFile=logback.xml");
    return environment;
  }
}
