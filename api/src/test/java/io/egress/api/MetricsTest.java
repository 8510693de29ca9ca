package io.egress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The api's metrics, after work of every kind. */
@Execution(ExecutionMode.CONCURRENT)
class MetricsTest {
  private static final Pattern ID = Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-");
  private static final UUID WORKSPACE = UUID.randomUUID();

  private static Service service;
  private static String key;

  @BeforeAll
  static void work() {
    service = Service.start();
    key = service.mintKey(WORKSPACE);
    UUID first = UUID.randomUUID();
    assertThat(put(first, WORKSPACE)).isEqualTo(201);
    assertThat(put(first, WORKSPACE)).isEqualTo(200);
    assertThat(put(first, UUID.randomUUID())).isEqualTo(409);
    assertThat(service.internal("PUT", "/internal/v1/captures/" + first, "{").statusCode())
        .isEqualTo(400);
    String line = Service.capture(WORKSPACE).put("id", UUID.randomUUID().toString()).encode();
    assertThat(importing(line + "\n{}\n")).isEqualTo(200);
    await().until(() -> pulled() == 2);
    assertThat(service.pull("/api/v1/captures/" + first, key).statusCode()).isEqualTo(200);
    assertThat(service.pull("/api/v1/captures", "nonsense").statusCode()).isEqualTo(401);
    await().until(() -> service.query("select 1 from outbox").size() == 0);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void areInTheTextFormatAndNeedNoToken() {
    HttpResponse<String> answer =
        Service.send(HttpRequest.newBuilder(URI.create(service.internalUrl("/metrics"))));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain; version=0.0.4"));
    assertThat(answer.body()).contains("# TYPE egress_pull_duration_seconds histogram");
  }

  @Test
  void areNotOnThePublicListener() {
    assertThat(
            Service.send(HttpRequest.newBuilder(URI.create(service.publicUrl("/metrics"))))
                .statusCode())
        .isEqualTo(404);
  }

  @Test
  void countHooksAndImports() {
    assertThat(value("egress_hook_duration_seconds_count{outcome='ok'}")).isEqualTo(2);
    assertThat(value("egress_hook_duration_seconds_count{outcome='refused'}")).isEqualTo(2);
    assertThat(value("egress_captures_put_total{result='created',via='hook'}")).isEqualTo(1);
    assertThat(value("egress_captures_put_total{result='unchanged',via='hook'}")).isEqualTo(1);
    assertThat(value("egress_captures_put_total{result='refused',via='hook'}")).isEqualTo(1);
    assertThat(value("egress_import_duration_seconds_count{outcome='ok'}")).isEqualTo(1);
    assertThat(value("egress_captures_put_total{result='created',via='import'}")).isEqualTo(1);
    assertThat(value("egress_captures_put_total{result='refused',via='import'}")).isEqualTo(1);
  }

  @Test
  void countPulls() {
    assertThat(pulls("ok", "/api/v1/captures")).isGreaterThanOrEqualTo(1);
    assertThat(pulls("refused", "/api/v1/captures")).isEqualTo(1);
    assertThat(pulls("ok", "/api/v1/captures/{id}")).isEqualTo(1);
    assertThat(value("egress_pull_documents_total")).isGreaterThanOrEqualTo(3);
    assertThat(value("egress_pull_bytes_total")).isGreaterThan(1_000);
  }

  @Test
  void followWhatEntersAndIsPublished() {
    assertThat(value("egress_stream_entered_total")).isEqualTo(2);
    assertThat(value("egress_relay_published_total")).isEqualTo(2);
    assertThat(value("egress_publish_delay_seconds_count")).isEqualTo(2);
    for (String gauge : List.of("egress_outbox_waiting", "egress_outbox_oldest_seconds")) {
      await().until(() -> value(gauge) == 0);
    }
  }

  @Test
  void coverPoolsEventLoopsBackendsAndTheJvm() {
    for (String pool :
        List.of(
            "{pool='pull'}", "{pool='hook'}", "{pool='api_probe'}", "{pool='api_write_probe'}")) {
      assertThat(value("egress_database_connections_in_use" + pool)).isNotNegative();
      assertThat(value("egress_database_waiting" + pool)).isNotNegative();
      assertThat(value("egress_database_connections_max" + pool)).isPositive();
    }
    await().until(() -> value("egress_event_loop_delay_seconds_count") > 0);
    for (String backend : List.of("database", "kafka")) {
      String up = "egress_backend_up{backend='" + backend + "',role='api'}";
      await().until(() -> value(up) == 1);
    }
    assertThat(value("jvm_threads_live_threads")).isPositive();
    assertThat(scrape()).contains("jvm_memory_used_bytes{", "jvm_gc_memory_allocated_bytes_total");
  }

  @Test
  void containNoPersonalData() {
    assertThat(scrape()).doesNotContainPattern(ID);
  }

  private static double pulls(String outcome, String route) {
    return value(
        "egress_pull_duration_seconds_count{outcome='" + outcome + "',route='" + route + "'}");
  }

  /** {@code sample} as it stands in the page, with single quotes. */
  private static double value(String sample) {
    String start = sample.replace('\'', '"') + " ";
    return scrape()
        .lines()
        .filter(line -> line.startsWith(start))
        .map(line -> Double.valueOf(line.substring(start.length())))
        .findFirst()
        .orElseThrow(() -> new NoSuchElementException(sample));
  }

  private static int pulled() {
    return new JsonObject(service.pull("/api/v1/captures", key).body())
        .getJsonArray("captures")
        .size();
  }

  private static int put(UUID id, UUID workspace) {
    return service.put(id, Service.capture(workspace)).statusCode();
  }

  private static int importing(String lines) {
    return Service.send(
            HttpRequest.newBuilder(URI.create(service.internalUrl("/internal/v1/captures")))
                .header("authorization", "Bearer " + Service.TOKEN)
                .header("content-type", "application/x-ndjson")
                .POST(HttpRequest.BodyPublishers.ofString(lines)))
        .statusCode();
  }

  private static String scrape() {
    return Service.send(HttpRequest.newBuilder(URI.create(service.internalUrl("/metrics")))).body();
  }
}
