package io.egress.dispatcher.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.metrics.Metrics;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.RetrySchedule;
import io.egress.webhook.send.Exchanged;
import io.egress.webhook.send.FailureKind;
import io.egress.webhook.send.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeliveryMetersTest {
  private static final Instant OWED = Instant.parse("2026-11-22T19:00:00Z");
  private static final Delivery FIRST =
      Delivery.first(
          UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID(), 1, Delivery.Origin.LIVE, OWED);
  private static final Delivery SECOND = FIRST.next(OWED.plusSeconds(60));

  private final Metrics metrics = new Metrics();
  private final DeliveryMeters meters = new DeliveryMeters(metrics, RetrySchedule.parse("1m,5m"));

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void aDeliveryArrivesWhenItsAttemptHasEnded() {
    meters.delivered(FIRST, OWED.plusSeconds(2), delivered(Duration.ofSeconds(3)));

    assertThat(metrics.scrape())
        .contains(
            "egress_first_attempt_delay_seconds_sum{origin=\"live\"} 2.0\n",
            "egress_delivery_delay_seconds_sum{origin=\"live\"} 5.0\n",
            "egress_attempt_duration_seconds_sum{outcome=\"delivered\",status_class=\"2xx\"} 3.0\n");
  }

  @Test
  void aRetryIsAsLateAsItBeginsAfterItWasDue() {
    meters.failed(SECOND, OWED.plusSeconds(64), refused(503, Duration.ofSeconds(1)));

    assertThat(metrics.scrape())
        .contains(
            "egress_retry_lateness_seconds_sum{stage=\"1m\"} 4.0\n",
            "egress_retry_lateness_seconds_count{stage=\"5m\"} 0\n",
            "egress_attempt_duration_seconds_sum{outcome=\"status\",status_class=\"5xx\"} 1.0\n",
            "egress_delivery_delay_seconds_count{origin=\"live\"} 0\n");
  }

  @Test
  void anAbortIsNoAttempt() {
    meters.aborted();

    assertThat(metrics.scrape())
        .contains(
            "egress_attempts_aborted_total 1.0\n",
            "egress_first_attempt_delay_seconds_count{origin=\"live\"} 0\n");
  }

  private static Outcome.Delivered delivered(Duration duration) {
    return new Outcome.Delivered(204, duration, Exchanged.NOTHING);
  }

  private static Outcome.Failed refused(int status, Duration duration) {
    return new Outcome.Failed(
        FailureKind.STATUS, status, "answered " + status, duration, Exchanged.NOTHING);
  }
}
