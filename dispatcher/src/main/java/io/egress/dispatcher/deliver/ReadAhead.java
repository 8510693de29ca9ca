package io.egress.dispatcher.deliver;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * The backlog of each partition and its progress. In a large backlog, a partition with enough
 * waiting records is not read further: Kafka returns as many records of each partition, but
 * partitions shared by more endpoints need more. Otherwise their lanes would run dry while others
 * are full, and the endpoints that get a capture would reach it at very different times and not
 * share reading and inflating its document.
 *
 * <p>Partitions that are not late are always read, and so are those that make hardly any progress:
 * one endpoint may be blocking, and records behind its own are needed.
 */
final class ReadAhead {
  /** Smaller backlogs are sent at once. */
  private static final int MUCH = 3_000;

  /** A poll returns as many again. */
  private static final int ENOUGH = 250;

  private static final long LATE_NANOS = Duration.ofSeconds(1).toNanos();

  /** The progress within one or two periods of a partition that is not blocked. */
  private static final int LEAVE_MIN = 32;

  private static final long PERIOD_NANOS = Duration.ofMillis(500).toNanos();

  private final Map<TopicPartition, Account> accounts = new HashMap<>();

  /** A record of the partition was queued, which has been due for {@code dueForNanos}. */
  void took(TopicPartition partition, long dueForNanos, long nowNanos) {
    Account account = accounts.computeIfAbsent(partition, _ -> new Account(nowNanos));
    account.isLate = dueForNanos >= LATE_NANOS;
    account.waiting++;
  }

  /** A record was queued again. */
  void tookBack(TopicPartition partition) {
    Account account = accounts.get(partition);
    if (account != null) {
      account.waiting++;
    }
  }

  /** A record left the queue. */
  void left(TopicPartition partition, long nowNanos) {
    Account account = accounts.get(partition);
    if (account != null) {
      account.countLeft(nowNanos);
      account.waiting--;
    }
  }

  void forget(Set<TopicPartition> partitions) {
    accounts.keySet().removeAll(partitions);
  }

  /** The partitions not to be read for now, given the number of all waiting records. */
  Set<TopicPartition> enough(int waitingInAll, long nowNanos) {
    Set<TopicPartition> enough = new HashSet<>();
    if (waitingInAll >= MUCH) {
      accounts.forEach((partition, account) -> {
        if (account.isEnough(nowNanos)) {
          enough.add(partition);
        }
      });
    }
    return enough;
  }

  /** The records that left in the current period and the one before. */
  private static final class Account {
    private int waiting;
    private boolean isLate;
    private long periodNanos;
    private int left;
    private int leftBefore;

    private Account(long nowNanos) {
      periodNanos = nowNanos;
    }

    private boolean isEnough(long nowNanos) {
      return isLate && waiting >= ENOUGH && leftLately(nowNanos) >= LEAVE_MIN;
    }

    private void countLeft(long nowNanos) {
      turn(nowNanos);
      left++;
    }

    private int leftLately(long nowNanos) {
      turn(nowNanos);
      return left + leftBefore;
    }

    private void turn(long nowNanos) {
      long age = nowNanos - periodNanos;
      if (age >= PERIOD_NANOS) {
        leftBefore = age < 2 * PERIOD_NANOS ? left : 0;
        left = 0;
        periodNanos = nowNanos;
      }
    }
  }
}
