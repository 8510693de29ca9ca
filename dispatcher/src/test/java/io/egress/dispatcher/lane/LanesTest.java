package io.egress.dispatcher.lane;

import static io.egress.dispatcher.lane.VirtualLanes.endpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.dispatcher.lane.Lanes.Completion;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LanesTest {
  private static final Duration FAST = Duration.ofMillis(20);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final VirtualLanes virtual = new VirtualLanes(LaneSettings.defaults());
  private final Lanes<String> lanes = virtual.lanes();

  @Test
  void startsRecordsOfALaneInTheOrderOffered() {
    virtual.offer(1, "a", "b", "c");

    assertThat(virtual.startAll()).extracting(InFlight::record).containsExactly("a", "b", "c");
    assertThat(lanes.inFlight()).isEqualTo(3);
    assertThat(lanes.waiting()).isZero();
  }

  @Test
  void liveRecordsGoBeforeAllBackfillOfTheSameEndpoint() {
    virtual.offerBackfill(1, "old-1", "old-2");
    virtual.offer(1, "live-1", "live-2");

    assertThat(virtual.startAll())
        .extracting(InFlight::record)
        .containsExactly("live-1", "live-2", "old-1", "old-2");
  }

  @Test
  void aLiveRecordOvertakesBackfillThatWaitsForASlot() {
    for (int i = 0; i < 10; i++) {
      virtual.offerBackfill(1, "old-" + i);
    }
    InFlight<String> first = virtual.startAll().get(0);
    virtual.offer(1, "live");

    virtual.complete(Completion.REFUSED, first);
    assertThat(virtual.startOne().record()).isEqualTo("live");
  }

  @Test
  void backfillOfOneEndpointDoesNotWaitForLiveRecordsOfAnother() {
    virtual.offerMany(1, 100);
    virtual.offerBackfill(2, "old");

    assertThat(virtual.startAll()).extracting(InFlight::record).contains("old");
  }

  @Test
  void anUnknownEndpointGetsFewAttemptsAtOnce() {
    virtual.offerMany(1, 100);

    assertThat(virtual.startAll()).hasSize(4);
    assertThat(virtual.lane(1)).isEqualTo(new Lanes.State(96, 4, 4, false));
  }

  @Test
  void aFastEndpointGetsMoreAndMoreAtOnceUpToTheMaximum() {
    virtual.offerMany(1, 1_000);
    for (int round = 0; round < 6; round++) {
      List<InFlight<String>> started = virtual.startAll();
      virtual.jump(FAST);
      virtual.complete(Completion.DELIVERED, started);
    }
    assertThat(virtual.startAll()).hasSize(64);
  }

  @Test
  void anEndpointThatOnlyRefusesKeepsItsLimit() {
    virtual.offerMany(1, 1_000);
    for (int round = 0; round < 20; round++) {
      List<InFlight<String>> started = virtual.startAll();
      virtual.jump(FAST);
      virtual.complete(Completion.REFUSED, started);
    }
    assertThat(virtual.lane(1).limit()).isEqualTo(4);
  }

  @Test
  void anAbortedAttemptGivesItsSlotBackAndChangesNoLimit() {
    virtual.offerMany(1, 10);
    List<InFlight<String>> started = virtual.startAll();
    virtual.jump(TIMEOUT);

    virtual.complete(Completion.ABORTED, started);

    assertThat(virtual.lane(1).limit()).isEqualTo(4);
    assertThat(virtual.startAll()).hasSize(4);
  }

  @Test
  void anAttemptIsCompletedOnce() {
    virtual.offer(1, "a");
    InFlight<String> attempt = virtual.startOne();
    virtual.complete(Completion.DELIVERED, attempt);

    assertThatThrownBy(() -> virtual.complete(Completion.DELIVERED, attempt))
        .isInstanceOf(IllegalStateException.class);
    assertThat(lanes.inFlight()).isZero();
  }

  @Test
  void equalRecordsAreDifferentEntries() {
    virtual.offer(1, "same", "same");
    List<InFlight<String>> started = virtual.startAll();

    assertThat(started).hasSize(2);
    virtual.complete(Completion.DELIVERED, started);
    assertThat(lanes.inFlight()).isZero();
  }

  @Test
  void droppingTakesWaitingRecordsOutAndLeavesAttemptsToTheCaller() {
    virtual.offerMany(1, 6);
    virtual.offer(2, "2-keep", "2-4");
    List<InFlight<String>> started = virtual.startAll();

    assertThat(lanes.drop(r -> !r.equals("2-keep"), virtual.nowNanos()))
        .containsExactly("1-4", "1-5");
    assertThat(lanes.waiting()).isZero();
    assertThat(lanes.inFlight()).as("slots are held until completed").isEqualTo(6);
    virtual.complete(Completion.ABORTED, started);
    assertThat(lanes.inFlight()).isZero();
  }

  @Test
  void drainingAnEndpointTakesOutWhatWaitsForItAlone() {
    virtual.offerMany(1, 6);
    virtual.offerBackfill(1, "old");
    virtual.offerMany(2, 6);
    virtual.startAll();

    assertThat(lanes.drain(endpoint(1), _ -> true, virtual.nowNanos()))
        .containsExactlyInAnyOrder("1-4", "1-5", "old");
    assertThat(lanes.drain(endpoint(3), _ -> true, virtual.nowNanos())).isEmpty();
    assertThat(lanes.waiting()).isEqualTo(2);
    assertThat(virtual.lane(1)).isEqualTo(new Lanes.State(0, 4, 4, false));
  }

  @Test
  void anIdleEndpointKeepsItsLimitForAWhileAndIsThenForgotten() {
    virtual.offer(1, "a");
    InFlight<String> attempt = virtual.startOne();
    virtual.jump(TIMEOUT);
    virtual.complete(Completion.UNANSWERED, attempt);
    assertThat(virtual.lane(1).limit()).isEqualTo(2);

    virtual.jump(Duration.ofMinutes(9));
    virtual.offer(2, "b");
    assertThat(virtual.lane(1).limit()).isEqualTo(2);

    virtual.jump(Duration.ofMinutes(1));
    virtual.offer(3, "c");
    assertThat(lanes.lane(endpoint(1))).isEmpty();
    assertThat(lanes.lane(endpoint(2))).isPresent();
    virtual.offer(1, "again");
    assertThat(virtual.lane(1).limit()).isEqualTo(4);
  }

  @Test
  void workInBetweenRenewsTheMemory() {
    for (int i = 0; i < 5; i++) {
      virtual.offer(1, "a");
      virtual.complete(Completion.DELIVERED, virtual.startOne());
      virtual.jump(Duration.ofMinutes(9));
    }
    virtual.offer(2, "b");
    assertThat(lanes.lane(endpoint(1))).isPresent();
  }

  @Test
  void droppingDoesNotRenewTheMemoryOfIdleEndpoints() {
    virtual.offer(1, "a");
    virtual.complete(Completion.DELIVERED, virtual.startOne());
    virtual.jump(Duration.ofMinutes(9));
    assertThat(lanes.drop(_ -> true, virtual.nowNanos())).isEmpty();
    virtual.jump(Duration.ofMinutes(1));
    virtual.offer(2, "b");

    assertThat(lanes.lane(endpoint(1))).isEmpty();
  }

  @Test
  void rememberedLanesAreBounded() {
    VirtualLanes small =
        new VirtualLanes(
            VirtualLanes.settings(new LaneSettings.Bounds(100, 10, 1_000, 900, 500, 3)));
    for (int i = 0; i < 10; i++) {
      small.offer(i, "a");
      small.complete(Completion.DELIVERED, small.startOne());
    }
    for (int i = 0; i < 10; i++) {
      assertThat(small.lanes().lane(endpoint(i)).isPresent()).isEqualTo(i >= 7);
    }
  }

  /** Forty endpoints of one workspace, and one of another. */
  @Test
  void workspacesStartInTurnHoweverManyEndpointsTheyHave() {
    for (int i = 1; i <= 41; i++) {
      virtual.offer(i, "first-" + i);
      virtual.complete(Completion.DELIVERED, virtual.startOne());
      lanes.belongs(endpoint(i), endpoint(i <= 40 ? 100 : 101), virtual.nowNanos());
    }
    for (int i = 1; i <= 40; i++) {
      virtual.offer(i, "many");
    }
    virtual.offer(41, "few", "few", "few");

    assertThat(
            List.of(virtual.startOne(), virtual.startOne(), virtual.startOne(), virtual.startOne()))
        .extracting(InFlight::record)
        .containsExactly("many", "few", "many", "few");
  }

  @Test
  void aWorkspaceMayHaveAFourthOfTheRoomAndEachEndpointAnEighth() {
    for (int i = 1; i <= 8; i++) {
      virtual.offer(i, "first-" + i);
      virtual.complete(Completion.DELIVERED, virtual.startOne());
      lanes.belongs(endpoint(i), endpoint(100), virtual.nowNanos());
      int offered = 0;
      while (lanes.hasRoomFor(endpoint(i))) {
        virtual.offer(i, "r" + offered++);
      }
    }

    int all = LaneSettings.defaults().bounds().pauseAtQueued();
    assertThat(lanes.lane(endpoint(1)).orElseThrow().waiting()).isBetween(all / 10, all / 8);
    assertThat(lanes.waiting()).isBetween(all / 6, all / 4);
    assertThat(lanes.hasRoomFor(endpoint(9))).as("another workspace's").isTrue();
  }
}
