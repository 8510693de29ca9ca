package io.egress.dispatcher.deliver;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * How much waits of each partition, and how it gets on. While a backlog is being worked off, a
 * partition of which enough waits need not be read on: Kafka brings as much of each, but those that
 * more endpoints share need more. Their lanes would run dry beside others that are full, and
 * endpoints that get a capture would come to it at very different times, and share neither its
 * reading nor its inflating.
 *
 * <p>What is not late is always read, and so is a partition that hardly anything leaves: an
 * endpoint may be in the way there, and what comes after its records is looked for.
 */
final class ReadAhead {
  /** Less is sent at once. */
  private static final int MUCH = 3_000;

  /** A poll brings as much again. */
  private static final int ENOUGH = 250;

  private static final long LATE_NANOS = Duration.ofSeconds(1).toNanos();

  /** In a period or two. */
  private static final int LEAVE_MIN = 32;

  private static final long PERIOD_NANOS = Duration.ofMillis(500).toNanos();

  private final Map<TopicPartition, Account> accounts = new HashMap<>();

  /** A record of the partition waits from now on, which has been due for {@code dueForNanos}. */
  void took(TopicPartition partition, long dueForNanos, long nowNanos) {
    Account account = accounts.computeIfAbsent(partition, fresh -> new Account(nowNanos));
    account.isLate = dueForNanos >= LATE_NANOS;
    account.waiting++;
  }

  /** One that had left waits again. */
  void tookBack(TopicPartition partition) {
    Account account = accounts.get(partition);
    if (account != null) {
      account.waiting++;
    }
  }

  /** One waits no longer. */
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

  /** Those that need not be read on for now, where so many records wait of all. */
  Set<TopicPartition> enough(int waitingInAll, long nowNanos) {
    Set<TopicPartition> enough = new HashSet<>();
    if (waitingInAll >= MUCH) {
      accounts.forEach(
          (partition, account) -> {
            if (account.isEnough(nowNanos)) {
              enough.add(partition);
            }
          });
    }
    return enough;
  }

  /** What left is counted in the period that runs and the one before. */
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
