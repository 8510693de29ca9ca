package io.egress.api.relay;

import io.egress.platform.metrics.Buckets;
import io.egress.platform.metrics.Metrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;

final class RelayMeters {
  private final Clock clock;
  private final Counter entered;
  private final Counter published;
  private final Timer publishDelay;

  RelayMeters(Metrics metrics, Clock clock) {
    this.clock = clock;
    entered =
        metrics.counter(
            "egress_stream_entered_total", "captures added to the stream by this process");
    published =
        metrics.counter(
            "egress_relay_published_total", "captures published to Kafka by this process");
    publishDelay =
        metrics.timer(
            "egress_publish_delay_seconds",
            "time from a capture's entry into the stream to Kafka's acknowledgement of it",
            Buckets.STAGE);
  }

  void entered(List<OwedRecord> captures) {
    entered.increment(captures.size());
  }

  void published(List<OwedRecord> captures) {
    published.increment(captures.size());
    long now = clock.millis();
    captures.forEach(each ->
        publishDelay.record(
            Math.max(0, now - each.capture().enteredAt().toEpochMilli()), TimeUnit.MILLISECONDS));
  }
}
