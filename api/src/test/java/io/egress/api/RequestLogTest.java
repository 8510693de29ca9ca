package io.egress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** The access log and request ids. */
@Isolated("it reads the log")
class RequestLogTest {
  private static final Logger ACCESS = (Logger) LoggerFactory.getLogger("io.egress.access");
  private static final Told TOLD = new Told();
  private static final UUID WORKSPACE = UUID.randomUUID();
  private static Service service;
  private static String key;
  private static UUID keyId;

  @BeforeAll
  static void start() {
    service = Service.start();
    TOLD.start();
    ACCESS.addAppender(TOLD);
    ACCESS.setLevel(Level.INFO);
    ACCESS.setAdditive(false);
    JsonObject minted =
        new JsonObject(
            service
                .internal(
                    "POST",
                    "/internal/v1/workspaces/" + WORKSPACE + "/api-keys",
                    new JsonObject().put("name", "test"))
                .body());
    key = minted.getString("key");
    keyId = UUID.fromString(minted.getString("id"));
  }

  @AfterAll
  static void stop() {
    ACCESS.detachAppender(TOLD);
    ACCESS.setLevel(null);
    ACCESS.setAdditive(true);
    service.close();
  }

  @Test
  void logsAPullWithItsKeyIdAndWithoutItsQuery() {
    String id = "pull." + UUID.randomUUID();
    HttpResponse<String> answer = pull("/api/v1/captures?limit=7&secret=s3cr3t", id);

    Map<String, Object> line = line(id);
    assertThat(answer.headers().firstValue("x-request-id")).contains(id);
    assertThat(line)
        .containsEntry("method", "GET")
        .containsEntry("path", "/api/v1/captures")
        .containsEntry("status", 200)
        .containsEntry("api_key_id", keyId)
        .containsKeys("duration_ms", "bytes");
    assertThat((Long) line.get("bytes")).isPositive();
    assertThat(TOLD.everything()).doesNotContain(key).doesNotContain("s3cr3t");
  }

  @Test
  void showsOnlyUuidsInPaths() {
    String capture = UUID.randomUUID().toString();
    pull("/api/v1/captures/" + capture, "known-id");
    pull("/api/v1/captures/" + key, "no-id");
    pull("/somewhere/" + key, "no-path");

    assertThat(line("known-id")).containsEntry("path", "/api/v1/captures/" + capture);
    assertThat(line("no-id"))
        .containsEntry("path", "/api/v1/captures/:id")
        .containsEntry("status", 400);
    assertThat(line("no-path")).containsEntry("path", "unmatched").containsEntry("status", 404);
    assertThat(TOLD.everything()).doesNotContain(key);
  }

  @Test
  void logsCallsOfTheInternalApi() {
    String id = "hook-" + UUID.randomUUID();
    UUID capture = UUID.randomUUID();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(service.internalUrl("/internal/v1/captures/" + capture)))
            .header("authorization", "Bearer " + Service.TOKEN)
            .header("x-request-id", id)
            .PUT(HttpRequest.BodyPublishers.ofString(Service.capture(WORKSPACE).encode()));
    assertThat(Service.send(request).statusCode()).isEqualTo(201);

    assertThat(line(id))
        .containsEntry("method", "PUT")
        .containsEntry("path", "/internal/v1/captures/" + capture)
        .containsEntry("status", 201);
  }

  @Test
  void usesTheCallersRequestIdIfItIsValid() {
    for (String sane : new String[] {"a", "A.b_c-9", "x".repeat(64)}) {
      assertThat(named(sane)).isEqualTo(sane);
    }
    for (String mad : new String[] {"a b", "a\"b", "x".repeat(65), "{}", "a/b", "a\tb"}) {
      assertThat(named(mad)).matches("[0-9a-f-]{36}");
    }
  }

  @Test
  void answersAnUnreadableRequestWithARequestId() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.app.publicPort())) {
      socket
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nbad header\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(answer).startsWith("HTTP/1.1 400").contains("\"status\":400");
      String id = answer.replaceAll("(?s).*x-request-id: (\\S+).*", "$1");
      assertThat(line(id)).containsEntry("status", 400).doesNotContainKey("path");
    }
  }

  @Test
  void logsAPullThatItsClientAborted() throws IOException {
    UUID workspace = UUID.randomUUID();
    String ownKey = service.mintKey(workspace);
    JsonObject large =
        Service.capture(workspace)
            .put(
                "segments",
                new JsonArray()
                    .add(
                        new JsonObject()
                            .put("start_ms", 0)
                            .put("end_ms", 1)
                            .put("text", "wörd ".repeat(2_500_000))));
    assertThat(service.put(UUID.randomUUID(), large).statusCode()).isEqualTo(201);
    await().until(() -> service.pull("/api/v1/captures", ownKey).body().contains("wörd"));
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.app.publicPort())) {
      socket
          .getOutputStream()
          .write(
              ("GET /api/v1/captures HTTP/1.1\r\nhost: a\r\nx-request-id: cut\r\nauthorization: Bearer "
                      + ownKey
                      + "\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      assertThat(socket.getInputStream().read()).isEqualTo('H');
    }
    assertThat(line("cut")).containsEntry("message", "request cut short");
    assertThat(TOLD.count("cut")).isEqualTo(1);
  }

  @Test
  void doesNotLogHealthChecks() {
    for (String path : new String[] {"/health/live", "/health/ready"}) {
      pull(path, "health-check");
    }
    pull("/api/v1/captures", "after-health");

    line("after-health");
    assertThat(TOLD.count("health-check")).isZero();
  }

  @Test
  void canBeSwitchedOff() {
    try (Service silent = service.twin(Map.of("EGRESS_ACCESS_LOG", "false"))) {
      Service.send(
          HttpRequest.newBuilder(URI.create(silent.publicUrl("/api/v1/captures")))
              .header("x-request-id", "silent"));
    }
    pull("/api/v1/captures", "not-silent");

    line("not-silent");
    assertThat(TOLD.count("silent")).isZero();
  }

  private static HttpResponse<String> pull(String path, String requestId) {
    return Service.send(
        HttpRequest.newBuilder(URI.create(service.publicUrl(path)))
            .header("authorization", "Bearer " + key)
            .header("x-request-id", requestId));
  }

  private static String named(String given) {
    return pull("/api/v1/captures", given).headers().firstValue("x-request-id").orElseThrow();
  }

  private static Map<String, Object> line(String requestId) {
    await().until(() -> TOLD.count(requestId) > 0);
    return TOLD.lines.stream()
        .filter(line -> requestId.equals(line.get("request_id")))
        .findFirst()
        .orElseThrow();
  }

  /** Log lines in order, from any thread. */
  private static final class Told extends AppenderBase<ILoggingEvent> {
    private final Queue<Map<String, Object>> lines = new ConcurrentLinkedQueue<>();

    @Override
    protected void append(ILoggingEvent event) {
      Map<String, Object> line = new HashMap<>();
      line.put("message", event.getFormattedMessage());
      event.getKeyValuePairs().forEach(pair -> line.put(pair.key, pair.value));
      lines.add(line);
    }

    private long count(String requestId) {
      return lines.stream().filter(line -> requestId.equals(line.get("request_id"))).count();
    }

    private String everything() {
      return lines.toString();
    }
  }
}
