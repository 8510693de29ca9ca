package io.egress.dispatcher.lane;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.lane.Lanes.Completion;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When an endpoint is considered stuck. */
class LaneStuckTest {
  private final VirtualLanes virtual = new VirtualLanes(LaneSettings.defaults());
  private final Lanes<String> lanes = virtual.lanes();

  @Test
  void aLaneWithAFreeSlotIsNotStuck() {
    virtual.offerMany(1, 3);
    virtual.startAll();
    virtual.pass(Duration.ofSeconds(9));

    assertThat(virtual.lane(1).stuck()).isFalse();
    virtual.offer(1, "d");
    assertThat(virtual.startAll()).hasSize(1);
  }

  @Test
  void aLaneIsNotStuckAsLongAsOneAnswerComesNowAndThen() {
    virtual.offerMany(1, 50);
    List<InFlight<String>> started = virtual.startAll();
    for (int i = 0; i < 4; i++) {
      virtual.pass(Duration.ofMillis(1_900));
      virtual.complete(Completion.REFUSED, started.get(i));
      assertThat(virtual.startAll()).hasSize(1);
    }
    assertThat(virtual.takeParked()).isEmpty();
  }

  @Test
  void timeBeforeAnAttemptIsSentIsNotTheEndpoints() {
    virtual.offerMany(1, 10);
    InFlight<String> prepared = requireNonNull(lanes.next(virtual.nowNanos()));
    virtual.pass(Duration.ofSeconds(9));
    assertThat(virtual.lane(1).stuck()).isFalse();

    lanes.sent(prepared, virtual.nowNanos());
    virtual.pass(Duration.ofMillis(1_900));
    assertThat(virtual.lane(1).stuck()).isFalse();
    virtual.pass(Duration.ofMillis(100));
    assertThat(virtual.lane(1).stuck()).isTrue();
  }

  @Test
  void whatWasAbortedBeforeItWasSentLeavesTheEndpointAlone() {
    virtual.offerMany(1, 10);
    InFlight<String> prepared = requireNonNull(lanes.next(virtual.nowNanos()));
    virtual.complete(Completion.ABORTED, prepared);
    InFlight<String> next = requireNonNull(lanes.next(virtual.nowNanos()));
    virtual.pass(Duration.ofSeconds(9));
    assertThat(virtual.lane(1).stuck()).isFalse();

    lanes.sent(next, virtual.nowNanos());
    virtual.pass(Duration.ofSeconds(2));
    assertThat(virtual.lane(1).stuck()).isTrue();
  }

  @Test
  void aProcessShortOfTimeDoesNotTakeItsOwnDelayForTheEndpoints() {
    virtual.offerMany(1, 10);
    virtual.startAll();
    for (int i = 0; i < 10; i++) {
      virtual.jump(Duration.ofMillis(400));
      virtual.tick();
    }
    assertThat(virtual.lane(1).stuck()).isFalse();
    virtual.pass(Duration.ofSeconds(1));
    assertThat(virtual.lane(1).stuck()).isTrue();
  }

  @Test
  void timeoutsOneByOneAreNoProgress() {
    virtual.offerMany(1, 50);
    List<InFlight<String>> started = virtual.startAll();
    for (InFlight<String> attempt : started.subList(0, 2)) {
      virtual.pass(Duration.ofSeconds(2));
      virtual.jump(Duration.ofMillis(50));
      virtual.complete(Completion.UNANSWERED, attempt);
      virtual.startAll();
      virtual.tick();
    }
    assertThat(virtual.lane(1).stuck()).isTrue();
    assertThat(virtual.takeParked()).isNotEmpty();
  }

  @Test
  void anEndpointThatRefusesConnectionsQuicklyWorksThroughItsQueue() {
    virtual.offerMany(1, 300);
    for (int i = 0; i < 300; i++) {
      List<InFlight<String>> started = virtual.startAll();
      virtual.pass(Duration.ofMillis(100));
      virtual.complete(Completion.UNANSWERED, started);
    }
    assertThat(virtual.takeParked()).isEmpty();
    assertThat(virtual.lane(1)).isEqualTo(new Lanes.State(0, 0, 1, false));
  }

  @Test
  void aDeepHealthyLaneIsNeverParked() {
    virtual.offerMany(1, 10_000);
    List<InFlight<String>> started = virtual.startAll();
    while (!started.isEmpty()) {
      virtual.pass(Duration.ofMillis(200));
      virtual.complete(Completion.DELIVERED, started);
      started = virtual.startAll();
    }
    assertThat(virtual.takeParked()).isEmpty();
    assertThat(lanes.waiting()).isZero();
  }

  @Test
  void aLaneHeldUpByTheSharedBoundIsNotStuck() {
    VirtualLanes small =
        new VirtualLanes(
            VirtualLanes.settings(new LaneSettings.Bounds(3, 1, 1_000, 900, 500, 100)));
    small.offerMany(1, 100);
    small.offerMany(2, 100);
    small.offerMany(3, 100);
    List<InFlight<String>> started = small.startAll();
    assertThat(started).hasSize(3);
    small.offer(4, "starved", "second");

    small.pass(Duration.ofSeconds(5));
    assertThat(small.lane(4)).isEqualTo(new Lanes.State(2, 0, 4, false));
    small.complete(Completion.UNANSWERED, started);
    assertThat(small.startAll()).extracting(InFlight::record).contains("starved");
    small.pass(Duration.ofMillis(1_900));
    assertThat(small.lane(4).stuck()).as("its one attempt has had no time yet").isFalse();
  }

  @Test
  void aPauseOfThisProcessIsNotTakenForASilentEndpoint() {
    virtual.offerMany(1, 50);
    List<InFlight<String>> started = virtual.startAll();
    virtual.pass(Duration.ofSeconds(1));
    virtual.jump(Duration.ofSeconds(30));
    virtual.tick();

    assertThat(virtual.takeParked()).isEmpty();
    virtual.complete(Completion.DELIVERED, started);
    virtual.startAll();
    virtual.pass(Duration.ofMillis(1_900));
    assertThat(virtual.takeParked()).isEmpty();
  }
}
