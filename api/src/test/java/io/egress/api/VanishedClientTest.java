package io.egress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A client that hangs up or sends no HTTP is its own outcome, and no alarm. */
@Isolated("it reads the log")
class VanishedClientTest {
  private static final String HOOK = "egress_hook_duration_seconds_count";
  private static final String PULL = "egress_pull_duration_seconds_count";

  private final UUID workspace = UUID.randomUUID();
  private final PrintStream stderr = System.err;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private Service service;
  private LoggedAlarms alarms;

  @BeforeEach
  void start() {
    service = Service.start();
    alarms = new LoggedAlarms();
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void stop() {
    System.setErr(stderr);
    alarms.close();
    service.close();
  }

  @Test
  void countsPutsThatClientsAborted() {
    startPut("content-length: 1000", "expect: 100-continue").await("100 Continue").close();
    startPut("content-length: 1000", "expect: 100-continue")
        .await("100 Continue")
        .send("{")
        .reset();
    await().until(() -> counted(HOOK, "client_gone") == 2);
    assertNoAlarm();
    assertThat(counted(HOOK, "unavailable")).isZero();
  }

  @Test
  void countsPullsThatClientsAborted() {
    String key = service.mintKey(workspace);
    JsonObject large =
        Service.capture(workspace)
            .put(
                "segments",
                new JsonArray()
                    .add(
                        new JsonObject()
                            .put("start_ms", 0)
                            .put("end_ms", 1)
                            .put("text", "wörd ".repeat(2_000_000))));
    UUID id = UUID.randomUUID();
    assertThat(service.put(id, large).statusCode()).isEqualTo(201);
    await().until(() -> service.pull("/api/v1/captures/" + id, key).statusCode() == 200);

    RawClient.to(service.app.publicPort())
        .send(
            "GET /api/v1/captures HTTP/1.1\r\nhost: a\r\nauthorization: Bearer " + key + "\r\n\r\n")
        .await("captures")
        .reset();

    await().until(() -> counted(PULL, "client_gone") == 1);
    assertNoAlarm();
    assertThat(counted(PULL, "unavailable")).isZero();
  }

  @Test
  void doesNotMistakeAClientsDisconnectForAnOutage() {
    String key = service.mintKey(workspace);
    String head =
        "HEAD /api/v1/captures HTTP/1.1\r\nhost: a\r\nauthorization: Bearer " + key + "\r\n\r\n";
    for (int client = 0; client < 20; client++) {
      RawClient.to(service.app.publicPort()).send(head.repeat(20)).await("200 OK").reset();
    }

    await().until(() -> counted(PULL, "client_gone") > 0);
    assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(200);
    assertNoAlarm();
    assertThat(counted(PULL, "unavailable")).isZero();
  }

  @Test
  void refusesInvalidChunkedEncoding() {
    try (RawClient client =
        startPut("transfer-encoding: chunked").send("5\r\nhello\r\nnonsense\r\n")) {
      assertThat(client.rest()).startsWith("HTTP/1.1 400").contains("\"status\":400", "framing");
    }
    String keys = "POST /internal/v1/workspaces/" + workspace + "/api-keys";
    try (RawClient client =
        RawClient.to(service.app.internalPort())
            .send(RawClient.internal(keys, "transfer-encoding: chunked"))
            .send("nonsense\r\n")) {
      assertThat(client.rest()).startsWith("HTTP/1.1 400").contains("\"status\":400", "framing");
    }
    assertNoAlarm();
    assertThat(counted(HOOK, "refused")).isEqualTo(1);
  }

  @Test
  void refusesEverythingAfterAnUnknownHttpVersion() {
    String asksTheDatabase =
        "GET /api/v1/captures HTTP/1.1\r\nhost: a\r\nauthorization: Bearer service_"
            + "x".repeat(32)
            + "\r\n\r\n";
    String unknown = "GET /health/live HTTP/1.5\r\nhost: a\r\n\r\n";
    try (RawClient client =
        RawClient.to(service.app.publicPort())
            .send(asksTheDatabase + unknown + asksTheDatabase + unknown)) {
      assertThat(client.rest()).containsOnlyOnce("HTTP/1.1 401").containsOnlyOnce("HTTP/1.1 400");
    }
    assertNoAlarm();
  }

  @Test
  void refusesHttp2() {
    try (RawClient client =
        RawClient.to(service.app.publicPort()).send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")) {
      assertThat(client.rest()).startsWith("HTTP/1.1 400");
    }
    assertNoAlarm();
  }

  private RawClient startPut(String... headers) {
    return RawClient.to(service.app.internalPort())
        .send(RawClient.internal("PUT /internal/v1/captures/" + UUID.randomUUID(), headers));
  }

  private void assertNoAlarm() {
    assertThat(alarms.lines()).isEmpty();
    assertThat(printed.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  private long counted(String metric, String outcome) {
    return Service.send(HttpRequest.newBuilder(URI.create(service.internalUrl("/metrics"))))
        .body()
        .lines()
        .filter(line -> line.startsWith(metric + "{") && line.contains('"' + outcome + '"'))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}
