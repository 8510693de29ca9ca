package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.lane.LaneSettings;
import io.egress.settings.DispatcherSettings;
import io.egress.settings.Settings;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkerSettingsTest {
  @Test
  void boundsTheAttemptsOfAWorker() {
    LaneSettings.Bounds bounds = bounds(Map.of("EGRESS_DISPATCHER_IN_FLIGHT", "64"));

    assertThat(bounds.inFlightMax()).isEqualTo(64);
    assertThat(bounds.probesInFlightMax()).as("to stuck endpoints").isEqualTo(16);
    assertThat(bounds(Map.of())).isEqualTo(LaneSettings.defaults().bounds());
  }

  private static LaneSettings.Bounds bounds(Map<String, String> own) {
    Map<String, String> environment = new HashMap<>(own);
    environment.put("EGRESS_INTERNAL_TOKEN", "a token of this test");
    environment.put("EGRESS_DATABASE_URL", "postgresql://user:secret@127.0.0.1:5432/egress");
    environment.put("EGRESS_KAFKA_BOOTSTRAP", "127.0.0.1:9092");
    DispatcherSettings settings = Settings.from(environment).dispatcher();
    return WorkerSettings.defaults(settings, 12).lanes().bounds();
  }
}
