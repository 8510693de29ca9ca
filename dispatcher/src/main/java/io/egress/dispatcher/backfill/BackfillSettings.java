package io.egress.dispatcher.backfill;

import java.time.Duration;

/**
 * The parameters of backfills.
 *
 * @param partitions of the backfill topic
 * @param aheadPerEndpointMax deliveries of one endpoint published and not settled
 * @param aheadMax deliveries of all endpoints of one worker published and not settled. Its
 *     remainder is shared so that endpoints whose deliveries do not settle leave room to the
 *     others: an endpoint gets more only while it has less than an eighth of it.
 * @param batch deliveries published at a time
 * @param period between checks for new work, and before retrying a failure
 */
public record BackfillSettings(
    int partitions, int aheadPerEndpointMax, int aheadMax, int batch, Duration period) {
  public BackfillSettings {
    requirePositive(partitions, "partitions");
    requirePositive(aheadPerEndpointMax, "aheadPerEndpointMax");
    requirePositive(aheadMax, "aheadMax");
    requirePositive(batch, "batch");
    requirePositive(period.toMillis(), "period in ms");
  }

  public static BackfillSettings defaults(int partitions) {
    return new BackfillSettings(partitions, 256, 4_096, 128, Duration.ofMillis(500));
  }

  private static void requirePositive(long number, String name) {
    if (number < 1) {
      throw new IllegalArgumentException(name + " is below 1: " + number);
    }
  }
}
