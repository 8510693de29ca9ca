package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ReadAheadTest {
  private static final TopicPartition FULL = partition(0);
  private static final TopicPartition OTHER = partition(1);
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final ReadAhead readAhead = new ReadAhead();
  private long now = Long.MAX_VALUE - SECOND;
  private int waitingInAll;

  @Test
  void aPartitionIsPausedWhenMuchWaitsAndSomeIsItsOwn() {
    getsOn(FULL);
    getsOn(OTHER);
    take(FULL, 2_750);
    take(OTHER, 249);
    assertThat(isEnough(FULL)).isFalse();

    take(OTHER, 1);
    assertThat(isEnough(FULL)).isTrue();
    assertThat(isEnough(OTHER)).isTrue();

    leave(OTHER, 1);
    take(FULL, 1);
    assertThat(isEnough(FULL)).isTrue();
    assertThat(isEnough(OTHER)).isFalse();
  }

  @Test
  void recordsPutBackWaitAgain() {
    getsOn(FULL);
    take(FULL, 3_000);
    leave(FULL, 1);
    assertThat(isEnough(FULL)).isFalse();

    readAhead.tookBack(FULL);
    waitingInAll++;

    assertThat(isEnough(FULL)).isTrue();
  }

  @Test
  void aSlowPartitionIsReadOn() {
    take(FULL, 4_000);
    leave(FULL, 31);
    assertThat(isEnough(FULL)).isFalse();

    leave(FULL, 1);
    assertThat(isEnough(FULL)).isTrue();

    now += SECOND;
    assertThat(isEnough(FULL)).isFalse();
  }

  @Test
  void recordsThatAreNotLateAreAlwaysRead() {
    getsOn(FULL);
    take(FULL, 4_000);
    assertThat(isEnough(FULL)).isTrue();

    readAhead.took(FULL, SECOND - 1, now);
    waitingInAll++;
    assertThat(isEnough(FULL)).isFalse();

    readAhead.took(FULL, SECOND, now);
    waitingInAll++;
    assertThat(isEnough(FULL)).isTrue();
  }

  @Test
  void aRevokedPartitionIsForgotten() {
    getsOn(OTHER);
    take(FULL, 3_000);
    take(OTHER, 500);

    readAhead.forget(Set.of(FULL));
    waitingInAll -= 3_000;

    assertThat(isEnough(FULL)).isFalse();
    assertThat(isEnough(OTHER)).isFalse();
    take(OTHER, 2_500);
    assertThat(isEnough(OTHER)).isTrue();
  }

  /** As many records of each partition at a time, and as many attempts of each endpoint. */
  @Test
  void endpointsComeToACaptureAtAboutTheSameTimeHoweverTheySharePartitions() {
    assertThat(new Drain(List.of(1, 1, 2, 6, 7, 8)).capturesApart()).isLessThan(1_300);
  }

  private void take(TopicPartition partition, int records) {
    waitingInAll += records;
    for (int i = 0; i < records; i++) {
      readAhead.took(partition, SECOND, now);
    }
  }

  private void leave(TopicPartition partition, int records) {
    waitingInAll -= records;
    for (int i = 0; i < records; i++) {
      readAhead.left(partition, now);
    }
  }

  /** A thousand left it just now. */
  private void getsOn(TopicPartition partition) {
    take(partition, 1_000);
    leave(partition, 1_000);
  }

  private boolean isEnough(TopicPartition partition) {
    return readAhead.enough(waitingInAll, now).contains(partition);
  }

  private static TopicPartition partition(int number) {
    return new TopicPartition("deliveries", number);
  }

  /** A backlog of captures that all endpoints get, in partitions of so many endpoints each. */
  private static final class Drain {
    private static final int CAPTURES = 20_000;
    private static final int READ_AT_ONCE = 250;
    private static final int WAITING_MAX = 16_000;
    private static final int SENT_AT_ONCE_EACH = 10;
    private static final long ROUND_NANOS = Duration.ofMillis(50).toNanos();

    private final ReadAhead readAhead = new ReadAhead();
    private final List<Partition> partitions = new ArrayList<>();
    private long now;

    private Drain(List<Integer> endpoints) {
      for (int i = 0; i < endpoints.size(); i++) {
        partitions.add(new Partition(partition(i), endpoints.get(i)));
      }
    }

    /** The most there were between the endpoint furthest ahead and the one furthest behind. */
    private int capturesApart() {
      int apart = 0;
      while (partitions.stream().noneMatch(Partition::isRead)) {
        now += ROUND_NANOS;
        partitions.forEach(this::read);
        partitions.forEach(this::send);
        apart = Math.max(apart, sent(Comparator.reverseOrder()) - sent(Comparator.naturalOrder()));
      }
      return apart;
    }

    private void read(Partition partition) {
      int waiting = partitions.stream().mapToInt(Partition::waiting).sum();
      if (waiting < WAITING_MAX && !readAhead.enough(waiting, now).contains(partition.name)) {
        partition.read(READ_AT_ONCE);
        for (int i = 0; i < READ_AT_ONCE; i++) {
          readAhead.took(partition.name, SECOND, now);
        }
      }
    }

    private void send(Partition partition) {
      int sent = partition.send(SENT_AT_ONCE_EACH);
      for (int i = 0; i < sent; i++) {
        readAhead.left(partition.name, now);
      }
    }

    private int sent(Comparator<Integer> order) {
      return partitions.stream().map(partition -> partition.lastSent).min(order).orElseThrow();
    }
  }

  private static final class Partition {
    private final TopicPartition name;
    private final List<Deque<Integer>> lanes = new ArrayList<>();
    private int records;
    private int lastSent;

    private Partition(TopicPartition name, int endpoints) {
      this.name = name;
      for (int i = 0; i < endpoints; i++) {
        lanes.add(new ArrayDeque<>());
      }
    }

    private void read(int count) {
      for (int i = 0; i < count; i++) {
        lanes.get(records % lanes.size()).add(records / lanes.size());
        records++;
      }
    }

    private int send(int countEach) {
      int sent = 0;
      for (Deque<Integer> lane : lanes) {
        for (int i = 0; i < countEach && !lane.isEmpty(); i++) {
          lastSent = lane.remove();
          sent++;
        }
      }
      return sent;
    }

    private int waiting() {
      return lanes.stream().mapToInt(Deque::size).sum();
    }

    private boolean isRead() {
      return records >= Drain.CAPTURES * lanes.size();
    }
  }
}
