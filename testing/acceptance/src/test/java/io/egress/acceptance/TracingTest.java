package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.testing.ClosedPort;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A capture from the hook to its last attempt, as a collector sees it. */
@Execution(ExecutionMode.CONCURRENT)
class TracingTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String CALLER = "b7ad6b7169203331";
  private static final String FOLLOWED = "00-" + TRACE + "-" + CALLER + "-01";
  private static final String NOT_SAMPLED = "00-" + TRACE + "-" + CALLER + "-00";

  private static final String RECEIVER = "secret-path";

  private final Vertx outside = Vertx.vertx();
  private final SpanCollector collector = new SpanCollector(outside);
  private final Inbox inbox = new Inbox(outside);
  private final UUID workspace = UUID.randomUUID();

  @Test
  void followsACaptureFromItsCallerToEachAttempt() throws Exception {
    try (BothRoles roles = roles(Map.of("EGRESS_TRACING_TO_RECEIVERS", "true"))) {
      UUID capture = put(roles, FOLLOWED);
      await().until(() -> collector.of(TRACE).size() == 5);

      List<SpanCollector.Seen> spans = collector.of(TRACE);
      assertThat(spans)
          .extracting(SpanCollector.Seen::kind)
          .containsExactly(
              SpanKind.SPAN_KIND_SERVER,
              SpanKind.SPAN_KIND_PRODUCER,
              SpanKind.SPAN_KIND_CONSUMER,
              SpanKind.SPAN_KIND_CLIENT,
              SpanKind.SPAN_KIND_CLIENT);
      SpanCollector.Seen put = spans.get(0);
      SpanCollector.Seen published = spans.get(1);
      SpanCollector.Seen fannedOut = spans.get(2);
      SpanCollector.Seen refused = spans.get(3);
      SpanCollector.Seen delivered = spans.get(4);
      assertThat(put.name()).isEqualTo("PUT /internal/v1/captures/:id");
      assertThat(published.name()).startsWith("send ").endsWith("captures.processed");
      assertThat(fannedOut.name()).startsWith("process ").endsWith("captures.processed");
      assertThat(List.of(refused.name(), delivered.name())).containsOnly("POST webhook");

      assertThat(put.parent()).isEqualTo(CALLER);
      assertThat(published.parent()).isEqualTo(put.id());
      assertThat(fannedOut.parent()).isEqualTo(published.id());
      assertThat(List.of(refused.parent(), delivered.parent())).containsOnly(fannedOut.id());
      assertThat(spans)
          .extracting(SpanCollector.Seen::service)
          .containsExactly(
              "transcript-egress-api",
              "transcript-egress-api",
              "transcript-egress-dispatcher",
              "transcript-egress-dispatcher",
              "transcript-egress-dispatcher");

      assertThat(put.attributes())
          .containsEntry("http.response.status_code", "201")
          .containsEntry("url.path", "/internal/v1/captures/" + capture);
      assertThat(published.attributes())
          .containsEntry("egress.capture.id", capture.toString())
          .containsEntry("egress.position", "1");
      assertThat(refused.failed()).isTrue();
      assertThat(refused.attributes())
          .containsEntry("egress.outcome", "status")
          .containsEntry("egress.attempt", "1")
          .containsEntry("http.response.status_code", "503");
      assertThat(delivered.failed()).isFalse();
      assertThat(delivered.attributes())
          .containsEntry("egress.outcome", "delivered")
          .containsEntry("egress.attempt", "2")
          .containsEntry("http.response.status_code", "204")
          .containsEntry("http.request.resend_count", "1");
      assertThat(spans).allMatch(span -> span.startNanos() <= span.endNanos());
      assertThat(spans.toString())
          .as("no part of a URL that may be secret")
          .doesNotContain("secret-path");

      assertThat(inbox.traceparents())
          .containsExactly(
              "00-" + TRACE + "-" + refused.id() + "-01",
              "00-" + TRACE + "-" + delivered.id() + "-01");
    }
  }

  /** Metrics are read all the time, and anybody may send a header to the public listener. */
  @Test
  @Tag("full")
  void propagatesToReceiversOnlyIfConfiguredAndFollowsNoPublicClients() throws Exception {
    try (BothRoles roles = roles(Map.of("EGRESS_TRACING_SAMPLE", "1"))) {
      put(roles, null);
      assertThat(pull(roles, "/internal/v1/captures/1")).isEqualTo(404);
      assertThat(pull(roles, "/api/v1/captures")).isEqualTo(200);
      await()
          .until(() ->
              metrics(roles).contains("egress_spans_exported_total")
                  && collector.all().stream()
                          .filter(span -> span.name().equals("POST webhook"))
                          .count()
                      == 2
                  && collector.all().stream()
                      .anyMatch(span -> span.name().equals("GET /api/v1/captures")));

      assertThat(inbox.traceparents()).hasSize(2).containsOnlyNulls();
      assertThat(collector.of(TRACE)).as("of a trace that a client asked for").isEmpty();
      assertThat(collector.all()).noneMatch(span -> span.name().contains("metrics"));
    }
  }

  @Test
  void tracesOnlySampledCaptures() throws Exception {
    try (BothRoles roles = roles(Map.of("EGRESS_TRACING_SAMPLE", "0"))) {
      put(roles, null);
      put(roles, NOT_SAMPLED);
      await().until(() -> delivered() == 2);
    }
    assertThat(collector.all()).isEmpty();
  }

  @Test
  void sendsTheLastSpansWhenItStops() throws Exception {
    try (BothRoles roles = roles(Map.of())) {
      put(roles, FOLLOWED);
      await().until(() -> delivered() == 1);
    }
    assertThat(collector.of(TRACE)).hasSize(5);
  }

  @Test
  @Tag("full")
  void anUnreachableCollectorCostsOnlySpans() throws Exception {
    try (ClosedPort nobody = ClosedPort.open()) {
      deliversAndCountsLostSpans(nobody.number());
    }
  }

  @Test
  @Tag("full")
  void aHangingCollectorCostsOnlySpans() throws Exception {
    HttpServer silent = outside.createHttpServer().requestHandler(_ -> {});
    deliversAndCountsLostSpans(BothRoles.done(silent.listen(0, "127.0.0.1")).actualPort());
  }

  private void deliversAndCountsLostSpans(int port) throws Exception {
    try (BothRoles roles = roles(Map.of("EGRESS_TRACING_OTLP_URL", "http://127.0.0.1:" + port))) {
      put(roles, FOLLOWED);

      await().until(() -> delivered() == 1);
      await().until(() -> metrics(roles).matches("(?s).*\negress_spans_dropped_total [1-9].*"));
    }
  }

  private long delivered() {
    return inbox.accepted(RECEIVER).size();
  }

  private BothRoles roles(Map<String, String> own) {
    Map<String, String> environment = BothRoles.environment();
    environment.put("EGRESS_TRACING_OTLP_URL", collector.url());
    environment.putAll(own);
    BothRoles roles = new BothRoles(environment);
    inbox.makeFlaky(RECEIVER);
    roles.endpoint(workspace, inbox.url(RECEIVER));
    return roles;
  }

  /** {@code traceparent} is what the caller of the hook follows. */
  private UUID put(BothRoles roles, @Nullable String traceparent) {
    UUID id = UUID.randomUUID();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(roles.internalUrl("/internal/v1/captures/" + id))
            .header("authorization", "Bearer " + BothRoles.TOKEN)
            .header("content-type", "application/json")
            .PUT(BodyPublishers.ofString(BothRoles.capture(workspace).encode()));
    if (traceparent != null) {
      request.header("traceparent", traceparent);
    }
    assertThat(BothRoles.send(request).statusCode()).isEqualTo(201);
    return id;
  }

  /** A client of the public listener that wants to be followed. */
  private int pull(BothRoles roles, String path) {
    return BothRoles.send(
            HttpRequest.newBuilder(roles.publicUrl(path))
                .header("authorization", "Bearer " + roles.mintKey(workspace))
                .header("traceparent", FOLLOWED))
        .statusCode();
  }

  private static String metrics(BothRoles roles) {
    return roles.metricsOfApi() + roles.metricsOfDispatcher();
  }

  @AfterEach
  void close() {
    BothRoles.done(outside.close());
  }
}
