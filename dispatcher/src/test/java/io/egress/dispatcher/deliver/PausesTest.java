package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.lane.LaneSettings;
import io.egress.webhook.queue.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PausesTest {
  private static final Topics TOPICS = new Topics("egress.");
  private static final Duration LOOKS_APART = Duration.ofSeconds(5);

  /** Halfway between two reads. */
  private static final Instant BETWEEN_LOOKS = Instant.ofEpochSecond(1_000_002);

  private final TopicPartition first = new TopicPartition(TOPICS.deliveries(), 0);
  private final TopicPartition parked = new TopicPartition(TOPICS.parked(), 0);
  private final TopicPartition quick = new TopicPartition(TOPICS.retry("500ms"), 0);
  private final TopicPartition slow = new TopicPartition(TOPICS.retry("1m"), 0);
  private final TopicPartition unknown = new TopicPartition(TOPICS.retry("soon"), 0);
  private final Set<TopicPartition> assigned = Set.of(first, parked, quick, slow, unknown);
  private final Pauses pauses =
      new Pauses(
          new Workload(LaneSettings.defaults(), 100, System::nanoTime, "deliveries"), TOPICS, 10);

  @Test
  void readsATopicWithALongDelayPeriodically() {
    assertThat(pauses.current(assigned, BETWEEN_LOOKS)).containsExactly(slow);

    boolean looked = false;
    for (Instant now = BETWEEN_LOOKS;
        now.isBefore(BETWEEN_LOOKS.plus(LOOKS_APART));
        now = now.plusMillis(100)) {
      looked |= pauses.current(assigned, now).isEmpty();
    }
    assertThat(looked).as("within one period").isTrue();
  }

  @Test
  void keepsReadingWhereThereWasARecord() {
    pauses.passed(slow, BETWEEN_LOOKS);

    assertThat(pauses.current(assigned, BETWEEN_LOOKS.plusMillis(900))).isEmpty();
    assertThat(pauses.current(assigned, BETWEEN_LOOKS.plusMillis(1_100))).containsExactly(slow);
  }

  @Test
  void readsWhatIsDueWithoutWaitingForThePeriod() {
    Instant due = BETWEEN_LOOKS.plusMillis(700);
    pauses.until(slow, due);

    assertThat(pauses.current(assigned, due.minusMillis(1))).containsExactly(slow);
    assertThat(pauses.current(assigned, due)).isEmpty();
    assertThat(pauses.current(assigned, due.plusMillis(100))).isEmpty();
  }

  @Test
  void aNewOwnerReadsThePartitionAtOnce() {
    pauses.until(slow, BETWEEN_LOOKS.plusSeconds(60));
    pauses.passed(slow, BETWEEN_LOOKS);
    pauses.forget(Set.of(slow));

    assertThat(pauses.current(assigned, BETWEEN_LOOKS)).containsExactly(slow);
    assertThat(pauses.headDue(slow)).isNull();
  }
}
