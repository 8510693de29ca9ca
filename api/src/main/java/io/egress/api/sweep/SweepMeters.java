package io.egress.api.sweep;

import io.egress.metrics.Metrics;
import io.micrometer.core.instrument.Counter;

final class SweepMeters {
  private final Counter entered;
  private final Counter relayed;

  SweepMeters(Metrics metrics) {
    entered =
        metrics.counter(
            "egress_stream_entered_total", "captures moved into the stream by this process");
    relayed =
        metrics.counter(
            "egress_relay_published_total", "captures published to Kafka by this process");
  }

  void entered(int captures) {
    entered.increment(captures);
  }

  void relayed(int captures) {
    relayed.increment(captures);
  }
}
