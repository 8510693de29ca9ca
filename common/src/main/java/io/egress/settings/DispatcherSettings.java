package io.egress.settings;

import io.egress.platform.environment.SettingsReader;
import io.egress.webhook.delivery.RetrySchedule;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the dispatcher role.
 *
 * @param inFlight concurrent attempts
 * @param extraTrust a PEM file of authorities trusted in addition to the JDK's
 */
public record DispatcherSettings(
    int inFlight,
    RetrySchedule retrySchedule,
    Duration attemptTimeout,
    @Nullable Path extraTrust,
    Duration logRetention,
    Duration stallTimeout,
    Duration reconcileAfter,
    FailingSettings failing) {
  static DispatcherSettings read(SettingsReader reader) {
    DispatcherSettings settings =
        new DispatcherSettings(
            reader.whole(
                "EGRESS_DISPATCHER_IN_FLIGHT",
                2_048,
                16,
                65_536,
                "concurrent attempts per process; must be many more than its hanging endpoints"),
            reader.parsed(
                "EGRESS_RETRY_SCHEDULE",
                "1m,5m,15m,1h,6h,24h",
                "delays between attempts",
                RetrySchedule::parse),
            reader.duration(
                "EGRESS_ATTEMPT_TIMEOUT",
                "10s",
                Duration.ofMillis(100),
                "time limit until the status line of a receiver, DNS lookup and connecting included"),
            reader.optional(
                "EGRESS_EXTRA_TRUST",
                "PEM file of authorities trusted for receivers' certificates, in addition to the"
                    + " JDK's",
                Path::of),
            wholeDays(
                reader.duration(
                    "EGRESS_DELIVERY_LOG_RETENTION",
                    "30d",
                    Duration.ofDays(2),
                    "how long deliveries and attempts are kept, rounded up to whole days")),
            reader.fixedDuration("stall", "10s"),
            reader.fixedDuration("reconcile-after", "1d"),
            FailingSettings.read(reader));
    settings.requireALongEnoughLog(reader);
    return settings;
  }

  /** The log is removed by the day. */
  private static Duration wholeDays(Duration retention) {
    return Duration.ofDays(retention.plusDays(1).minusNanos(1).toDays());
  }

  private void requireALongEnoughLog(SettingsReader reader) {
    Duration attempts = attemptTimeout.multipliedBy(retrySchedule.attemptsMax());
    Duration least = wholeDays(retrySchedule.total().plus(attempts));
    if (logRetention.compareTo(least) < 0) {
      reader.fault(
          "EGRESS_DELIVERY_LOG_RETENTION: must be at least "
              + least.toDays()
              + "d: by EGRESS_RETRY_SCHEDULE, the last attempt can be that late if a receiver asks"
              + " for more time, and would be repeated without an entry in the log");
    }
  }
}
