package io.egress.platform.kafka;

import java.time.Duration;

/**
 * A required topic.
 *
 * @param longestWait how long after it was written a record may become due
 * @param copartitioned whether it has as many partitions as the other copartitioned topics
 * @param disposable whether nobody reads its records
 */
public record NeededTopic(
    String name, Duration longestWait, boolean copartitioned, boolean disposable) {
  /** Its records are consumed without delay. */
  public static NeededTopic undelayed(String name) {
    return new NeededTopic(name, Duration.ZERO, false, false);
  }

  public static NeededTopic disposable(String name) {
    return new NeededTopic(name, Duration.ZERO, false, true);
  }

  public static NeededTopic copartitioned(String name, Duration longestWait) {
    return new NeededTopic(name, longestWait, true, false);
  }
}
