package io.egress.api.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.metrics.Metrics;
import io.egress.transcript.stream.ProcessedCapture;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RelayMetersTest {
  private static final Instant NOW = Instant.parse("2026-12-01T00:00:00Z");

  /** The clock of the fleet is known to some milliseconds, and can be set back. */
  @Test
  void countsACaptureThatEnteredALittleLaterThanNow() {
    try (Metrics metrics = new Metrics()) {
      RelayMeters meters = new RelayMeters(metrics, Clock.fixed(NOW, ZoneOffset.UTC));
      UUID id = UUID.randomUUID();
      meters.published(
          List.of(new OwedRecord(1, new ProcessedCapture(id, 1, id, NOW.plusMillis(5)))));

      assertThat(metrics.scrape()).containsPattern("egress_publish_delay_seconds_count\\S* 1");
    }
  }
}
