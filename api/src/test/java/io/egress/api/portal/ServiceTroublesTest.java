package io.egress.api.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.api.metrics.EndpointsBehind.Lateness;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ServiceTroublesTest {
  @Test
  void areKnownWithoutAskingAnybody() {
    assertThat(new ServiceTroubles(() -> false, () -> null).now()).isEmpty();
    assertThat(troubles(false, 1, Duration.ofSeconds(90)).now()).as("a slow minute").isEmpty();
    assertThat(troubles(true, 0, Duration.ZERO).now())
        .singleElement()
        .asString()
        .contains("cannot reach its queue", "can be pulled");
    assertThat(troubles(false, 1, Duration.ofMinutes(3)).now())
        .singleElement()
        .asString()
        .contains("1 endpoint has waited", "up to 3 min");
    assertThat(troubles(true, 12_000, Duration.ofHours(2)).now())
        .hasSize(2)
        .last()
        .asString()
        .contains("12,000 endpoints have waited", "up to 2 h");
  }

  private static ServiceTroubles troubles(boolean kafkaAway, long endpoints, Duration oldest) {
    return new ServiceTroubles(() -> kafkaAway, () -> new Lateness(endpoints, oldest));
  }

  @Test
  @Tag("full")
  void standOnTopOfEveryPage() {
    UUID workspace = UUID.randomUUID();
    try (Service service = Service.start();
        Service away = service.twin(Map.of("EGRESS_KAFKA_BOOTSTRAP", "127.0.0.1:1"))) {
      Browser admin = Browser.at(away, workspace, "admin");
      for (String page : new String[] {"/", "/captures", "/keys", "/endpoints", "/audit"}) {
        await()
            .atMost(Duration.ofSeconds(40))
            .until(() ->
                admin
                    .get("/portal/" + workspace + page)
                    .body()
                    .contains("The service cannot reach its queue"));
      }
      assertThat(Browser.at(service, workspace, "admin").get("/portal/" + workspace + "/").body())
          .doesNotContain("cannot reach its queue");
    }
  }
}
