package io.egress.dispatcher.metrics;

import io.egress.platform.environment.Durations;
import io.egress.platform.metrics.Buckets;
import io.egress.platform.metrics.Metrics;
import io.egress.platform.metrics.PerValue;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.RetrySchedule;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.send.Exchanged;
import io.egress.webhook.send.FailureKind;
import io.egress.webhook.send.Outcome;
import io.egress.webhook.send.SentRequest;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Counts deliveries. All meters are created at startup and looked up by index, so that counting is
 * cheap. Thread-safe.
 */
public final class DeliveryMeters {
  private static final int STATUS_CLASSES = 6;

  private final Timer delivered;
  private final Timer[] refused = new Timer[STATUS_CLASSES];
  private final PerValue<FailureKind, Timer> failed;
  private final Counter aborted;
  private final Counter repeated;
  private final PerValue<Delivery.Origin, Timer> firstAttempt;
  private final PerValue<Delivery.Origin, Timer> arrival;
  private final PerValue<DeliveryState, Counter> ended;
  private final Counter parked;
  private final Counter foreign;
  private final List<Counter> retries = new ArrayList<>();
  private final List<Timer> retryLateness = new ArrayList<>();

  public DeliveryMeters(Metrics metrics, RetrySchedule schedule) {
    delivered = attempts(metrics, DeliveryState.DELIVERED.word(), "2xx");
    for (int i = 0; i < STATUS_CLASSES; i++) {
      refused[i] = attempts(metrics, FailureKind.STATUS.word(), Math.max(1, i) + "xx");
    }
    failed =
        new PerValue<>(
            FailureKind.class,
            EnumSet.complementOf(EnumSet.of(FailureKind.STATUS)),
            kind -> attempts(metrics, kind.word(), "none"));
    aborted =
        metrics.counter(
            "egress_attempts_aborted_total",
            "attempts aborted by the dispatcher (hand-over, shutdown); each is repeated");
    repeated =
        metrics.counter(
            "egress_requests_repeated_total",
            "requests sent again in the same attempt, because a kept connection ended or an access token was rejected");
    firstAttempt =
        delays(
            metrics,
            "egress_first_attempt_delay_seconds",
            "time from owing a delivery to its first attempt");
    arrival =
        delays(
            metrics, "egress_delivery_delay_seconds", "time from owing a delivery to its arrival");
    ended =
        new PerValue<>(
            DeliveryState.class,
            EnumSet.complementOf(EnumSet.of(DeliveryState.PENDING)),
            state ->
                metrics.counter(
                    "egress_deliveries_ended_total", "finished deliveries", "state", state.word()));
    parked =
        metrics.counter(
            "egress_deliveries_parked_total",
            "times a delivery was parked because its endpoint was stuck or at its limit");
    foreign = foreign(metrics, "delivery");
    schedule.delays().stream().map(Durations::format).forEach(stage -> addStage(metrics, stage));
  }

  private static PerValue<Delivery.Origin, Timer> delays(
      Metrics metrics, String name, String description) {
    return new PerValue<>(
        Delivery.Origin.class,
        origin -> delay(metrics, name, description, "origin", origin.word()));
  }

  public void delivered(Delivery delivery, Instant startedAt, Outcome.Delivered outcome) {
    attempted(delivery, startedAt, outcome.exchanged());
    delivered.record(outcome.duration().toNanos(), TimeUnit.NANOSECONDS);
    long arrivedMillis = startedAt.toEpochMilli() + outcome.duration().toMillis();
    record(arrival.of(delivery.origin()), delivery.owedAt(), arrivedMillis);
  }

  public void failed(Delivery delivery, Instant startedAt, Outcome.Failed outcome) {
    attempted(delivery, startedAt, outcome.exchanged());
    timer(outcome).record(outcome.duration().toNanos(), TimeUnit.NANOSECONDS);
  }

  public void aborted() {
    aborted.increment();
  }

  private void attempted(Delivery delivery, Instant startedAt, Exchanged exchanged) {
    SentRequest request = exchanged.request();
    if (request != null) {
      repeated.increment(request.times() - 1);
    }
    long startedMillis = startedAt.toEpochMilli();
    int before = delivery.attempt() - 1;
    if (before == 0) {
      record(firstAttempt.of(delivery.origin()), delivery.owedAt(), startedMillis);
    } else if (before <= retryLateness.size()) {
      record(retryLateness.get(before - 1), delivery.dueAt(), startedMillis);
    }
  }

  /** The attempt with this number failed, and the next one is scheduled. */
  public void toBeRetried(int attempt) {
    retries.get(attempt - 1).increment();
  }

  public void ended(DeliveryState state) {
    ended.of(state).increment();
  }

  public void parked() {
    parked.increment();
  }

  /** A record whose workspaces differ was refused. */
  public void foreign() {
    foreign.increment();
  }

  /** The records of one kind that were refused. */
  public static Counter foreign(Metrics metrics, String record) {
    return metrics.counter(
        "egress_foreign_records_total",
        "records that name a capture of another workspace, and were refused",
        "record",
        record);
  }

  private void addStage(Metrics metrics, String stage) {
    retries.add(
        metrics.counter(
            "egress_retries_scheduled_total",
            "failed attempts that will be repeated, by delay",
            "stage",
            stage));
    retryLateness.add(
        delay(
            metrics,
            "egress_retry_lateness_seconds",
            "delay of a retry beyond its due time",
            "stage",
            stage));
  }

  private Timer timer(Outcome.Failed failure) {
    Integer status = failure.status();
    return failure.kind() == FailureKind.STATUS && status != null
        ? refused[statusClass(status)]
        : failed.of(failure.kind());
  }

  private static void record(Timer timer, Instant since, long untilMillis) {
    timer.record(Math.max(0, untilMillis - since.toEpochMilli()), TimeUnit.MILLISECONDS);
  }

  private static int statusClass(int status) {
    return Math.min(Math.max(status / 100, 0), STATUS_CLASSES - 1);
  }

  private static Timer delay(
      Metrics metrics, String name, String meaning, String label, String value) {
    return metrics.timer(name, meaning, Buckets.DELAY, label, value);
  }

  private static Timer attempts(Metrics metrics, String outcome, String statusClass) {
    return metrics.timer(
        "egress_attempt_duration_seconds",
        "duration of completed attempts",
        Buckets.CALL,
        "outcome",
        outcome,
        "status_class",
        statusClass);
  }
}
