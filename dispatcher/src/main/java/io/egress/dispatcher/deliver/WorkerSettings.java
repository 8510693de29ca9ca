package io.egress.dispatcher.deliver;

import io.egress.dispatcher.backfill.BackfillSettings;
import io.egress.dispatcher.lane.LaneSettings;
import io.egress.settings.DispatcherSettings;
import java.time.Duration;

/**
 * The limits of one worker.
 *
 * @param spanMax records of a partition from the oldest unfinished to the newest read
 * @param envelopeBytesMax bodies in attempts at a time
 * @param documentBytesMax documents inflated for attempts at a time
 * @param handoverPatience how long a partition's new owner waits for attempts in progress
 * @param stallTimeout how long PostgreSQL or Kafka may be unavailable before the worker gives its
 *     partitions to others
 * @param backfill the settings of backfills
 */
public record WorkerSettings(
    LaneSettings lanes,
    int spanMax,
    long envelopeBytesMax,
    long documentBytesMax,
    Duration handoverPatience,
    Duration stallTimeout,
    BackfillSettings backfill) {
  private static final int SPAN_MAX = 131_072;
  private static final long ENVELOPE_BYTES_MAX = 64L << 20;
  private static final long DOCUMENT_BYTES_MAX = 48L << 20;
  private static final Duration HANDOVER_PATIENCE = Duration.ofSeconds(3);
  private static final Duration UNWRITTEN_MAX = Duration.ofSeconds(2);

  /**
   * How long an outcome may wait to be written before no further attempt is begun. Attempts that
   * have begun then have the rest of the {@link #stallTimeout} to end: what is in progress when the
   * worker stops is attempted again by the next one.
   */
  Duration unwrittenMax() {
    Duration half = stallTimeout.dividedBy(2);
    return half.compareTo(UNWRITTEN_MAX) < 0 ? half : UNWRITTEN_MAX;
  }

  public static WorkerSettings defaults(DispatcherSettings settings, int partitions) {
    return new WorkerSettings(
        LaneSettings.withInFlightMax(settings.inFlight()),
        SPAN_MAX,
        ENVELOPE_BYTES_MAX,
        DOCUMENT_BYTES_MAX,
        HANDOVER_PATIENCE,
        settings.stallTimeout(),
        BackfillSettings.defaults(partitions));
  }
}
