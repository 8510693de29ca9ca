package io.egress.dispatcher.deliver;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.deliver.Workload.Taken;
import io.egress.dispatcher.lane.InFlight;
import io.egress.dispatcher.lane.LaneSettings;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.DeliveryId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WorkloadTest {
  private static final TopicPartition LIVE = new TopicPartition("deliveries", 0);
  private static final TopicPartition BACKFILL = new TopicPartition("deliveries.backfill", 0);
  private static final UUID ENDPOINT = UUID.randomUUID();

  private final Workload workload =
      new Workload(LaneSettings.defaults(), 1 << 20, System::nanoTime, LIVE.topic());
  private final List<Job> beyond = new ArrayList<>();
  private long offset;

  @BeforeEach
  void assign() {
    workload.assign(Set.of(LIVE, BACKFILL));
  }

  @Test
  void anEndpointHasAShareAndWhatIsNotSharedGoesBeyond() {
    Taken taken = Taken.YES;
    while (taken == Taken.YES) {
      taken = take(LIVE, delivery());
    }

    assertThat(taken).isEqualTo(Taken.BEYOND_SHARE);
    assertThat(beyond).hasSize(1);
    assertThat(workload.waiting()).isBetween(1_000, 2_000);
    assertThat(workload.take(BACKFILL, offset++, delivery(), 0, false, beyond::add))
        .isEqualTo(Taken.YES);
  }

  /** Whatever order the two records of a delivery are read and finished in. */
  @Test
  void theRecordFromTheStreamIsNoRepetitionOfTheOneThatWasLeft() {
    Delivery delivery = delivery();
    take(LIVE, delivery);
    InFlight<Job> slot = workload.next();
    assertThat(slot).isNotNull();
    Job left = slot.record();
    workload.leaveToStream(left);

    assertThat(take(BACKFILL, delivery)).isEqualTo(Taken.YES);
    workload.finish(left);

    assertThat(take(BACKFILL, delivery)).as("while its job is there").isEqualTo(Taken.REPEATED);
  }

  /** Otherwise both would be gone, if the first is left to the stream. */
  @Test
  void theRecordFromTheStreamThatWasReadIsKeptUntilTheResultIsDurable() {
    Delivery delivery = delivery();
    take(LIVE, delivery);
    assertThat(take(BACKFILL, delivery)).isEqualTo(Taken.REPEATED);
    assertThat(take(BACKFILL, delivery)).isEqualTo(Taken.REPEATED);
    Job job = requireNonNull(workload.next()).record();

    assertThat(workload.mayLeaveToStream(job)).isFalse();
    assertThat(unfinished(BACKFILL)).as("one stands for both").isEqualTo(1);
    workload.finish(job);
    assertThat(unfinished(LIVE) + unfinished(BACKFILL)).isZero();
  }

  @Test
  void theRecordFromTheStreamStaysWhereItIsWhenTheOtherOneGoes() {
    Delivery waiting = delivery();
    Delivery inWork = delivery();
    take(LIVE, inWork);
    take(BACKFILL, inWork);
    assertThat(workload.next()).isNotNull();
    take(LIVE, waiting);
    take(BACKFILL, waiting);

    workload.dropWaiting(Set.of(LIVE));
    workload.abandon(Set.of(LIVE), "handed over");
    workload.revoke(Set.of(LIVE));

    assertThat(workload.waiting()).isEqualTo(2);
    for (int i = 0; i < 2; i++) {
      Job job = requireNonNull(workload.next()).record();
      assertThat(job.partition()).isEqualTo(BACKFILL);
      workload.finish(job);
    }
    assertThat(unfinished(BACKFILL)).isZero();
  }

  private int unfinished(TopicPartition partition) {
    return workload.ledger(partition).orElseThrow().outstanding();
  }

  private Taken take(TopicPartition partition, Delivery delivery) {
    return workload.take(partition, offset++, delivery, 0, true, beyond::add);
  }

  private static Delivery delivery() {
    UUID capture = UUID.randomUUID();
    return Delivery.first(
        DeliveryId.of(ENDPOINT, capture),
        ENDPOINT,
        capture,
        1,
        Delivery.Origin.LIVE,
        Instant.EPOCH);
  }
}
