package io.egress.dispatcher.deliver;

import io.egress.platform.environment.Durations;
import io.egress.webhook.queue.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Retry topics with a long delay. Their partitions are polled only occasionally, so that Kafka's
 * fetches cover few partitions. A poll finds the dispatcher's own records long before they are due;
 * from then on {@link Pauses} knows when to read them. A record of a rebuilt queue that is due
 * earlier is found within the time between two polls.
 */
final class SlowTopics {
  private static final Duration LOOKS_APART = Duration.ofSeconds(5);

  /** Longer than an empty fetch takes. */
  private static final Duration LOOK = Duration.ofMillis(500);

  /** Where there was a record, there may be more. */
  private static final Duration AFTER_A_RECORD = Duration.ofSeconds(1);

  private static final Duration DELAY_MIN = LOOKS_APART.multipliedBy(2);

  private final Topics topics;
  private final Map<String, Boolean> slow = new HashMap<>();
  private final Map<TopicPartition, Instant> readUntil = new HashMap<>();

  SlowTopics(Topics topics) {
    this.topics = topics;
  }

  void read(TopicPartition partition, Instant now) {
    if (isSlow(partition.topic())) {
      readUntil.put(partition, now.plus(AFTER_A_RECORD));
    }
  }

  void forget(Set<TopicPartition> partitions) {
    readUntil.keySet().removeAll(partitions);
  }

  /** Whether the partition need not be read for now, if no record is known to wait there. */
  boolean rests(TopicPartition partition, Instant now) {
    if (!isSlow(partition.topic())
        || now.toEpochMilli() % LOOKS_APART.toMillis() < LOOK.toMillis()) {
      return false;
    }
    Instant until = readUntil.get(partition);
    return until == null || now.isAfter(until);
  }

  private boolean isSlow(String topic) {
    return slow.computeIfAbsent(topic, this::delaysForLong);
  }

  private boolean delaysForLong(String topic) {
    String retry = topics.retry("");
    try {
      return topic.startsWith(retry)
          && Durations.parse(topic.substring(retry.length())).compareTo(DELAY_MIN) >= 0;
    } catch (IllegalArgumentException notOurs) {
      return false;
    }
  }
}
