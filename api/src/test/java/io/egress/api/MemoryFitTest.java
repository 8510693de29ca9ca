package io.egress.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.settings.ApiSettings;
import io.egress.settings.Settings;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemoryFitTest {
  private static final long DEFAULT_HEAP = 512L << 20;

  @Test
  void defaultsFitTheDefaultHeap() {
    assertThat(MemoryFit.problems(settings(Map.of()), DEFAULT_HEAP)).isEmpty();
  }

  @Test
  void namesWhatDoesNotFit() {
    assertThat(
            MemoryFit.problems(settings(Map.of("EGRESS_MAX_CAPTURE_SIZE", "64MiB")), DEFAULT_HEAP))
        .singleElement()
        .asString()
        .contains("EGRESS_MAX_CAPTURE_SIZE", "1024MiB", "EGRESS_HOOK_MEMORY (256MiB)");
    assertThat(MemoryFit.problems(settings(Map.of("EGRESS_PULL_MEMORY", "1GiB")), DEFAULT_HEAP))
        .singleElement()
        .asString()
        .contains("EGRESS_PULL_MEMORY", "1280MiB", "heap (512MiB)");
  }

  private static ApiSettings settings(Map<String, String> changes) {
    Map<String, String> environment =
        new HashMap<>(
            Map.of(
                "EGRESS_INTERNAL_TOKEN",
                Service.TOKEN,
                "EGRESS_DATABASE_URL",
                "postgresql://user:password@localhost:5432/a",
                "EGRESS_KAFKA_BOOTSTRAP",
                "localhost:9092"));
    environment.putAll(changes);
    return Settings.from(environment).api();
  }
}
