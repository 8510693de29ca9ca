package io.egress.settings;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How deliveries are attempted.
 *
 * @param workers event loops that deliver, each with a consumer of its own
 * @param inFlight attempts of a worker at a time
 * @param extraTrust a PEM file of authorities beside the JDK's
 */
public record DispatcherSettings(
    int workers,
    int inFlight,
    RetrySchedule retrySchedule,
    Duration attemptTimeout,
    @Nullable Path extraTrust,
    Duration logRetention,
    Duration stallTimeout,
    Duration reconcileAfter,
    FailingSettings failing) {
  private static final Duration LOG_MARGIN = Duration.ofDays(1);

  public DispatcherSettings {
    requireNonNull(retrySchedule, "retrySchedule is null");
    requireNonNull(attemptTimeout, "attemptTimeout is null");
    requireNonNull(logRetention, "logRetention is null");
    requireNonNull(stallTimeout, "stallTimeout is null");
    requireNonNull(reconcileAfter, "reconcileAfter is null");
    requireNonNull(failing, "failing is null");
  }

  static DispatcherSettings read(SettingsReader reader) {
    DispatcherSettings settings =
        new DispatcherSettings(
            reader.whole(
                "EGRESS_DISPATCHER_WORKERS",
                1,
                1,
                64,
                "consumers that share the partitions; one is enough for several processor cores"),
            reader.whole(
                "EGRESS_DISPATCHER_IN_FLIGHT",
                2_048,
                16,
                65_536,
                "attempts of a worker at a time; must be many more than its endpoints that hang"),
            reader.parsed(
                "EGRESS_RETRY_SCHEDULE",
                "1m,5m,15m,1h,6h,24h",
                "how long after each failed attempt the next one follows",
                RetrySchedule::parse),
            reader.duration(
                "EGRESS_ATTEMPT_TIMEOUT",
                "10s",
                Duration.ofMillis(100),
                "how long a receiver may take to its status line, name lookup and connecting included"),
            reader.optional(
                "EGRESS_EXTRA_TRUST",
                "PEM file of authorities that receivers' certificates may be issued by, beside the"
                    + " JDK's",
                Path::of),
            reader.duration(
                "EGRESS_DELIVERY_LOG_RETENTION",
                "30d",
                Duration.ofDays(2),
                "how long deliveries and attempts are remembered; whole days"),
            reader.duration(
                "EGRESS_STALL_TIMEOUT",
                "10s",
                Duration.ofSeconds(1),
                "how long PostgreSQL or Kafka may keep a dispatcher waiting before it leaves its"
                    + " partitions to others"),
            reader.duration(
                "EGRESS_RECONCILE_AFTER",
                "1d",
                Duration.ofSeconds(1),
                "how long after it entered the stream a capture that had no attempt is published to"
                    + " Kafka once more"),
            FailingSettings.read(reader));
    settings.requireALongEnoughLog(reader);
    return settings;
  }

  /** A delivery is dropped from the log with the day it was owed on. */
  private void requireALongEnoughLog(SettingsReader reader) {
    Duration least = retrySchedule.total().plus(LOG_MARGIN);
    if (logRetention.compareTo(least) < 0) {
      reader.fault(
          "EGRESS_DELIVERY_LOG_RETENTION: must be at least a day longer than EGRESS_RETRY_SCHEDULE"
              + " takes ("
              + Durations.format(least)
              + "): a delivery that is forgotten before its last attempt may be made again");
    }
  }
}
