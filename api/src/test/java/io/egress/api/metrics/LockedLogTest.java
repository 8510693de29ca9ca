package io.egress.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The metrics read the delivery log; captures are stored and pulled without it. */
class LockedLogTest {
  /** Longer than the probe of the database may take. */
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(7);

  private final UUID workspace = UUID.randomUUID();

  @Test
  @Tag("full")
  void metricsThatWaitForALockHoldUpNothing() {
    try (Service service = Service.start()) {
      String endpoints = "/internal/v1/workspaces/" + workspace + "/endpoints";
      service.internal("POST", endpoints, new JsonObject().put("url", "https://crm.example/hook"));
      String key = service.mintKey(workspace);
      SqlConnection holder = Service.await(service.database.getConnection());
      Service.await(holder.query("begin").execute());
      Service.await(holder.query("lock table only deliveries in access exclusive mode").execute());
      // Its metrics are measured at its start.
      try (Service locked = service.twin()) {
        await()
            .during(LONG_ENOUGH)
            .atMost(LONG_ENOUGH.multipliedBy(3))
            .untilAsserted(() -> {
              HttpRequest.Builder ready =
                  HttpRequest.newBuilder(URI.create(locked.internalUrl("/health/ready")));
              assertThat(Service.send(ready).body()).contains("\"database\":\"up\"");
              assertThat(locked.put(UUID.randomUUID(), Service.capture(workspace)).statusCode())
                  .isEqualTo(201);
              assertThat(locked.pull("/api/v1/captures?limit=1", key).statusCode()).isEqualTo(200);
            });
      } finally {
        Service.await(holder.query("rollback").execute());
        Service.await(holder.close());
      }
    }
  }
}
