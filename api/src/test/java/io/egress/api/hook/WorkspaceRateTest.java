package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WorkspaceRateTest {
  private final UUID workspace = UUID.randomUUID();
  private final UUID other = UUID.randomUUID();
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

  @Test
  void admitsABurstAndThenTheRate() {
    WorkspaceRate rate = new WorkspaceRate(10, nanos::get);

    assertThat(admitted(rate, workspace)).isEqualTo(20);
    assertThat(admitted(rate, other)).as("of another workspace").isEqualTo(20);
    pass(Duration.ofMillis(90));
    assertThat(rate.admits(workspace)).isFalse();
    pass(Duration.ofMillis(20));
    assertThat(admitted(rate, workspace)).isEqualTo(1);
    pass(Duration.ofHours(1));
    assertThat(admitted(rate, workspace)).isEqualTo(20);
  }

  @Test
  void anImportLeavesHalfOfTheBurstToTheHook() {
    WorkspaceRate rate = new WorkspaceRate(10, nanos::get);

    assertThat(rate.admitsImported(workspace, 100)).isEqualTo(10);
    assertThat(rate.admitsImported(workspace, 100)).isZero();
    assertThat(admitted(rate, workspace)).isEqualTo(10);
    assertThat(rate.admitsImported(workspace, 100)).isZero();
    pass(Duration.ofSeconds(2));
    assertThat(rate.admitsImported(workspace, 4)).isEqualTo(4);
  }

  @Test
  void withoutALimitEverythingIsAdmitted() {
    WorkspaceRate rate = new WorkspaceRate(null, nanos::get);

    for (int i = 0; i < 1_000; i++) {
      assertThat(rate.admits(workspace)).isTrue();
    }
    assertThat(rate.admitsImported(workspace, 1_000_000)).isEqualTo(1_000_000);
    assertThat(rate.kept()).isZero();
  }

  @Test
  void forgetsWorkspacesThatPutNothingIn() {
    WorkspaceRate rate = new WorkspaceRate(10, nanos::get);
    for (int i = 0; i < 1_000; i++) {
      rate.admits(UUID.randomUUID());
    }
    pass(Duration.ofSeconds(11));

    rate.admits(workspace);

    assertThat(rate.kept()).isEqualTo(1);
  }

  @Test
  void theHookRefusesAFloodOfOneWorkspace() {
    try (Service service = Service.start(Map.of("EGRESS_WORKSPACE_RATE", "1"))) {
      HttpResponse<String> refused = service.put(UUID.randomUUID(), Service.capture(workspace));
      for (int i = 0; i < 1_000 && refused.statusCode() != 429; i++) {
        refused = service.put(UUID.randomUUID(), Service.capture(workspace));
      }

      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(429);
      assertThat(refused.headers().firstValue("retry-after")).contains("1");
      assertThat(refused.body()).contains("more captures per second than its limit");
      assertThat(service.put(UUID.randomUUID(), Service.capture(other)).statusCode())
          .isEqualTo(201);
      assertThat(service.internal("GET", "/metrics", "").body())
          .contains("egress_workspace_rate_exceeded_total{via=\"hook\"}");
    }
  }

  @Test
  void anImportIsSlowedDownAndLosesNothing() {
    try (Service service = Service.start(Map.of("EGRESS_WORKSPACE_RATE", "100"))) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < 400; i++) {
        lines
            .append(Service.capture(workspace).put("id", UUID.randomUUID().toString()).encode())
            .append('\n');
      }
      long start = System.nanoTime();

      HttpResponse<String> answer =
          Service.send(
              HttpRequest.newBuilder(URI.create(service.internalUrl("/internal/v1/captures")))
                  .header("authorization", "Bearer " + Service.TOKEN)
                  .header("content-type", "application/x-ndjson")
                  .POST(BodyPublishers.ofString(lines.toString())));

      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(2));
      JsonObject report = new JsonObject(answer.body());
      assertThat(report.getInteger("created")).isEqualTo(400);
      assertThat(report.getJsonArray("refused")).isEmpty();
      assertThat(service.put(UUID.randomUUID(), Service.capture(workspace)).statusCode())
          .as("the import leaves room for the hook")
          .isEqualTo(201);
    }
  }

  private static int admitted(WorkspaceRate rate, UUID workspaceId) {
    int count = 0;
    while (rate.admits(workspaceId)) {
      count++;
    }
    return count;
  }

  private void pass(Duration time) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(time.toMillis()));
  }
}
