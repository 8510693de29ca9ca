package io.egress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.platform.environment.SettingsException;
import io.egress.settings.Settings;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class InternalTokensTest {
  private static final String FRESH = "the-token-of-tomorrow";
  private static final String OLD = "the-token-of-yesterday";

  @Test
  void eachOfTheTokensIsLetIn() {
    try (Service service = Service.start(Map.of("EGRESS_INTERNAL_TOKEN", FRESH + ", " + OLD))) {
      assertThat(status(service, FRESH)).isEqualTo(200);
      assertThat(status(service, OLD)).isEqualTo(200);
      assertThat(status(service, FRESH + "," + OLD)).isEqualTo(401);
      assertThat(status(service, FRESH + ", " + OLD)).isEqualTo(401);
      assertThat(status(service, "another-token-altogether")).isEqualTo(401);
      assertThat(status(service, "")).isEqualTo(401);
    }
  }

  @Test
  void noneMayBeShort() {
    Map<String, String> environment = new HashMap<>(Service.freshEnvironment());
    environment.put("EGRESS_INTERNAL_TOKEN", FRESH + ",");

    assertThatThrownBy(() -> Settings.from(environment))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("EGRESS_INTERNAL_TOKEN must have at least 16 characters")
        .hasMessageNotContaining(FRESH);
  }

  private static int status(Service service, String token) {
    return Service.send(
            HttpRequest.newBuilder(URI.create(service.internalUrl("/internal/v1/openapi.json")))
                .header("authorization", "Bearer " + token))
        .statusCode();
  }
}
