package io.egress.api.admin.overview;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.admin.deliveries.WrittenOutcomes;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.vertx.core.json.JsonObject;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EndpointListApiTest {
  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private final String path = "/internal/v1/workspaces/" + workspace + "/endpoints";
  private WrittenOutcomes written;

  @BeforeAll
  static void start() {
    service = Service.start();
    new LogMaintenance(service.database, WrittenOutcomes.DAYS).run();
  }

  @BeforeEach
  void open() {
    written = new WrittenOutcomes(service, workspace);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void listsEndpointsWithTheirHealth() {
    UUID down = written.endpoint();
    UUID healthy = written.endpoint();
    UUID untried = written.endpoint();
    UUID paused = written.endpoint();
    written.captures(3);
    written.write(down, 0, 3, DeliveryState.EXHAUSTED);
    written.write(healthy, 0, 3, DeliveryState.DELIVERED);
    service.internal("PATCH", path + "/" + paused, "{\"paused\":true}");

    JsonObject failed = listed(down);
    assertThat(failed.getString("health")).isEqualTo("down");
    assertThat(failed.getInteger("attempts")).isEqualTo(3);
    assertThat(failed.getInteger("succeeded")).isZero();
    assertThat(failed.getString("last_failure")).isEqualTo("answered 500 Internal Server Error");
    assertThat(failed.getString("last_failure_at")).isNotNull();
    assertThat(failed.getString("last_success_at")).isNull();
    JsonObject succeeded = listed(healthy);
    assertThat(succeeded.getString("health")).isEqualTo("healthy");
    assertThat(succeeded.getString("last_failure")).isNull();
    assertThat(succeeded.getString("last_success_at")).isNotNull();
    assertThat(listed(untried).getString("health")).isEqualTo("untried");
    assertThat(listed(paused).getString("health")).isEqualTo("paused");
  }

  private JsonObject listed(UUID id) {
    return new JsonObject(service.internal("GET", path, "").body())
        .getJsonArray("endpoints").stream()
            .map(JsonObject.class::cast)
            .filter(each -> each.getString("id").equals(id.toString()))
            .findFirst()
            .orElseThrow();
  }
}
