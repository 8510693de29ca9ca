package io.egress.dispatcher.fanout;

import io.egress.dispatcher.metrics.DeliveryMeters;
import io.egress.platform.metrics.Buckets;
import io.egress.platform.metrics.Metrics;
import io.egress.transcript.stream.ProcessedCapture;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;

final class FanOutMeters {
  private final Clock clock;
  private final Counter captures;
  private final Counter deliveries;
  private final Timer delay;
  private final Counter foreign;

  FanOutMeters(Metrics metrics, Clock clock) {
    this.clock = clock;
    captures = metrics.counter("egress_fanout_captures_total", "captures fanned out");
    deliveries =
        metrics.counter("egress_fanout_deliveries_total", "deliveries published by the fan-out");
    foreign = DeliveryMeters.foreign(metrics, "capture");
    delay =
        metrics.timer(
            "egress_fanout_delay_seconds",
            "time from a capture's entry into the stream to its deliveries in Kafka",
            Buckets.STAGE);
  }

  void made(int count) {
    deliveries.increment(count);
  }

  void foreign(int count) {
    foreign.increment(count);
  }

  void owed(List<ProcessedCapture> owed) {
    captures.increment(owed.size());
    long now = clock.millis();
    owed.forEach(capture ->
        delay.record(Math.max(0, now - capture.enteredAt().toEpochMilli()), TimeUnit.MILLISECONDS));
  }
}
