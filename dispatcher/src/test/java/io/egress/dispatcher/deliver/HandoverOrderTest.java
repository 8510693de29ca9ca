package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.lane.InFlight;
import io.egress.dispatcher.lane.LaneSettings;
import io.egress.dispatcher.lane.Lanes.Completion;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.send.Outcome;
import io.egress.webhook.send.Sending;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A hand-over waits only for attempts that are likely to end. */
@ExtendWith(VertxExtension.class)
class HandoverOrderTest {
  private static final TopicPartition PARTITION = new TopicPartition("deliveries", 0);
  private static final Duration FOR_EVER = Duration.ofHours(1);
  private static final Instant OWED = Instant.parse("2026-11-23T08:00:00Z");
  private static final long LOOKS_APART = Duration.ofMillis(50).toNanos();

  private final UUID hanging = UUID.randomUUID();
  private final UUID healthy = UUID.randomUUID();
  private final Map<Job, Attempt> attempts = new HashMap<>();
  private long now = System.nanoTime();
  private final Workload workload =
      new Workload(LaneSettings.defaults(), 1_000, () -> now, "deliveries");
  private long offset;
  private Handover handover;

  @BeforeEach
  void create(Vertx vertx) {
    handover = new Handover(vertx, workload);
    workload.assign(Set.of(PARTITION));
  }

  @Test
  void doesNotWaitForAttemptsToAStuckEndpoint() {
    take(hanging, 20);
    List<InFlight<Job>> begun = begin();
    letTimePass(Duration.ofSeconds(20));
    assertThat(workload.stuckLanes()).isEqualTo(1);

    Future<Map<TopicPartition, Long>> drained = handover.drain(Set.of(PARTITION), FOR_EVER);

    assertThat(drained.succeeded()).isTrue();
    assertThat(drained.result()).as("nothing is finished").isEmpty();
    assertThat(begun).isNotEmpty().allMatch(slot -> slot.record().isAbandoned());
    assertThat(attempts.values()).hasSameSizeAs(begun).allMatch(attempt -> attempt.aborted);
  }

  @Test
  void waitsForAttemptsToOtherEndpoints() {
    take(hanging, 20);
    begin();
    letTimePass(Duration.ofSeconds(20));
    take(healthy, 1);
    InFlight<Job> slot =
        begin().stream().filter(each -> each.endpointId().equals(healthy)).findAny().orElseThrow();

    Future<Map<TopicPartition, Long>> drained = handover.drain(Set.of(PARTITION), FOR_EVER);

    assertThat(drained.isComplete()).isFalse();
    assertThat(slot.record().isAbandoned()).isFalse();
    workload.release(slot, Completion.DELIVERED);
    workload.finish(slot.record());
    handover.check();
    assertThat(drained.succeeded()).isTrue();
  }

  private void take(UUID endpoint, int count) {
    for (int i = 0; i < count; i++) {
      UUID capture = UUID.randomUUID();
      Delivery delivery =
          Delivery.first(
              DeliveryId.of(endpoint, capture), endpoint, capture, i, Delivery.Origin.LIVE, OWED);
      assertThat(workload.take(PARTITION, offset, delivery, 0, false, _ -> {}))
          .isEqualTo(Workload.Taken.YES);
      offset++;
    }
  }

  private List<InFlight<Job>> begin() {
    List<InFlight<Job>> begun = new ArrayList<>();
    for (InFlight<Job> slot = workload.next(); slot != null; slot = workload.next()) {
      Attempt attempt = new Attempt();
      workload.sent(slot);
      slot.record().sending(attempt);
      attempts.put(slot.record(), attempt);
      begun.add(slot);
    }
    return begun;
  }

  /** Whatever is not a probe of a stuck endpoint is parked at once. */
  private void letTimePass(Duration time) {
    long end = now + time.toNanos();
    while (now < end) {
      now += LOOKS_APART;
      workload.takeParkable().forEach(parked -> workload.finish(parked.record()));
    }
  }

  /** Has no outcome until it is aborted. */
  private static final class Attempt implements Sending {
    private final Promise<Outcome> outcome = Promise.promise();
    private boolean aborted;

    @Override
    public Future<Outcome> outcome() {
      return outcome.future();
    }

    @Override
    public void abort(String reason) {
      aborted = true;
      outcome.complete(new Outcome.Aborted(reason, Duration.ZERO));
    }
  }
}
