package io.egress.dispatcher.lane;

import static io.egress.dispatcher.lane.VirtualLanes.endpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.dispatcher.lane.Lanes.Completion;
import io.egress.dispatcher.lane.Lanes.Parkable;
import io.egress.dispatcher.lane.Lanes.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LaneBoundsTest {
  private static final Duration FAST = Duration.ofMillis(20);

  @Test
  void pausesAtTheUpperMarkAndResumesAtTheLower() {
    VirtualLanes virtual = lanes(new LaneSettings.Bounds(4, 1, 12, 10, 5, 10));
    virtual.offerMany(1, 9);
    assertThat(virtual.lanes().isFull()).isFalse();
    virtual.offer(2, "tenth");
    assertThat(virtual.lanes().isFull()).isTrue();

    while (virtual.lanes().waiting() > 6) {
      virtual.complete(Completion.REFUSED, virtual.startOne());
    }
    assertThat(virtual.lanes().isFull()).isTrue();
    virtual.complete(Completion.REFUSED, virtual.startOne());
    assertThat(virtual.lanes().isFull()).isFalse();
    virtual.offerMany(3, 4);
    assertThat(virtual.lanes().isFull()).isFalse();
    virtual.offer(3, "tenth again");
    assertThat(virtual.lanes().isFull()).isTrue();
  }

  @Test
  void takesNoMoreThanTheBound() {
    VirtualLanes virtual = lanes(new LaneSettings.Bounds(4, 1, 12, 10, 5, 10));
    virtual.offerMany(1, 12);

    assertThat(virtual.lanes().offer(endpoint(2), Priority.LIVE, "x", virtual.nowNanos()))
        .isFalse();
    assertThat(virtual.lanes().waiting()).isEqualTo(12);
    assertThat(virtual.lanes().lane(endpoint(2))).isEmpty();
  }

  @Test
  void neverStartsMoreThanTheSharedBound() {
    VirtualLanes virtual = lanes(new LaneSettings.Bounds(50, 10, 10_000, 9_000, 5_000, 1_000));
    for (int i = 0; i < 500; i++) {
      virtual.offerMany(i, 10);
    }
    assertThat(virtual.startAll())
        .hasSize(50)
        .extracting(InFlight::endpointId)
        .doesNotHaveDuplicates();
  }

  @Test
  void endpointsWithWorkTakeTurns() {
    VirtualLanes virtual = lanes(new LaneSettings.Bounds(1, 1, 10_000, 9_000, 5_000, 1_000));
    virtual.offerMany(1, 100);
    virtual.offerMany(2, 100);
    virtual.offerMany(3, 100);

    List<UUID> order = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      InFlight<String> attempt = virtual.startOne();
      virtual.complete(Completion.DELIVERED, attempt);
      order.add(attempt.endpointId());
    }
    for (int i = 0; i + 3 <= order.size(); i++) {
      assertThat(order.subList(i, i + 3)).doesNotHaveDuplicates();
    }
  }

  @Test
  void aNewcomerWaitsForNoBacklogOfAnother() {
    VirtualLanes virtual = lanes(new LaneSettings.Bounds(8, 2, 20_000, 19_000, 9_000, 1_000));
    virtual.offerMany(1, 10_000);
    List<InFlight<String>> started = virtual.startAll();
    virtual.offer(2, "newcomer");

    assertThat(started).as("it never has the last slot").hasSize(4);
    assertThat(virtual.startOne().record()).isEqualTo("newcomer");
  }

  @Test
  void aNewcomerStartsNextWhenAllSlotsAreTaken() {
    VirtualLanes virtual = lanes(new LaneSettings.Bounds(8, 2, 20_000, 19_000, 9_000, 1_000));
    for (int i = 0; i < 20; i++) {
      virtual.offerMany(i, 100);
    }
    List<InFlight<String>> started = virtual.startAll();
    assertThat(started).hasSize(8);
    virtual.offer(99, "newcomer");

    int turns = 0;
    boolean newcomerStarted = false;
    while (!newcomerStarted) {
      virtual.complete(Completion.DELIVERED, started.remove(0));
      InFlight<String> next = virtual.startOne();
      started.add(next);
      newcomerStarted = next.record().equals("newcomer");
      turns++;
    }
    assertThat(turns).as("one turn of each of the others").isLessThanOrEqualTo(20);
  }

  @Test
  void manyLanesThatStopAnsweringAtOnceLeaveSlotsToTheOthers() {
    VirtualLanes virtual =
        lanes(new LaneSettings.Bounds(1_000, 200, 50_000, 40_000, 20_000, 1_000));
    for (int i = 0; i < 100; i++) {
      virtual.offerMany(i, 200);
      virtual.deliverAll(i, FAST);
      assertThat(virtual.lane(i).limit()).isEqualTo(64);
    }
    for (int i = 0; i < 100; i++) {
      virtual.offerMany(i, 200);
    }
    virtual.startAll();
    assertThat(virtual.lanes().inFlight()).isLessThan(1_000);

    for (int i = 100; i < 105; i++) {
      virtual.offer(i, "healthy");
      assertThat(virtual.startOne().record()).isEqualTo("healthy");
    }
  }

  @Test
  void probesOfStuckLanesTakeNoMoreThanTheirShare() {
    VirtualLanes virtual = lanes(new LaneSettings.Bounds(400, 10, 50_000, 40_000, 20_000, 1_000));
    List<InFlight<String>> hung = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      virtual.offerMany(i, 10);
      hung.addAll(virtual.startAll());
    }
    virtual.pass(Duration.ofSeconds(10));
    virtual.complete(Completion.UNANSWERED, hung);
    assertThat(virtual.lanes().stuckLanes()).isEqualTo(50);

    List<InFlight<String>> probes = virtual.startAll();
    assertThat(probes).hasSize(10).extracting(InFlight::endpointId).doesNotHaveDuplicates();
    virtual.jump(Duration.ofSeconds(10));
    virtual.complete(Completion.UNANSWERED, probes);
    assertThat(virtual.startAll())
        .hasSize(10)
        .extracting(InFlight::endpointId)
        .doesNotContainAnyElementsOf(probes.stream().map(InFlight::endpointId).toList());
  }

  @Test
  void abortedAttemptsDoNotCountAgainstTheirLane() {
    VirtualLanes virtual = lanes(new LaneSettings.Bounds(8, 2, 1_000, 900, 500, 100));
    virtual.offerMany(1, 4);
    virtual.complete(Completion.ABORTED, virtual.startAll());
    virtual.offerMany(2, 8);
    assertThat(virtual.startAll()).as("half of the slots").hasSize(4);

    virtual.offer(1, "after the abort");
    assertThat(virtual.startOne().record()).isEqualTo("after the abort");
  }

  @Test
  void slowEndpointsDoNotGatherTheSharedSlots() {
    VirtualLanes virtual = lanes(new LaneSettings.Bounds(40, 10, 50_000, 40_000, 20_000, 1_000));
    for (int i = 0; i < 10; i++) {
      virtual.offerMany(i, 2_000);
    }
    List<InFlight<String>> slow = new ArrayList<>();
    int fastDelivered = 0;
    for (int round = 0; round < 100; round++) {
      for (InFlight<String> attempt : virtual.startAll()) {
        if (attempt.endpointId().equals(endpoint(0))) {
          slow.add(attempt);
        } else {
          virtual.complete(Completion.DELIVERED, attempt);
          fastDelivered++;
        }
      }
      assertThat(virtual.lane(0).inFlight()).isLessThanOrEqualTo(4);
      virtual.jump(Duration.ofMillis(10));
    }
    assertThat(slow).hasSize(4);
    assertThat(fastDelivered).isGreaterThan(1_000);
  }

  @Test
  void aLaneThatTakesInMoreThanItGetsRidOfGivesUpItsNewerHalfOnceTheCallerHadToPause() {
    VirtualLanes small = lanes(new LaneSettings.Bounds(100, 10, 120, 100, 60, 100));
    small.offerMany(1, 90);
    List<InFlight<String>> started = small.startAll();
    for (int second = 0; second < 31; second++) {
      small.pass(Duration.ofSeconds(1));
      small.complete(Completion.REFUSED, started.remove(0));
      started.add(small.startOne());
    }
    small.tick();
    assertThat(small.takeParked()).as("nobody had to pause").isEmpty();

    for (int i = 0; !small.lanes().isFull(); i++) {
      small.offer(2 + i / 10, "newcomer-" + i);
    }
    int waitedFor = small.lane(1).waiting();
    small.tick();

    List<Parkable<String>> parked = small.takeParked();
    assertThat(parked)
        .isNotEmpty()
        .allMatch(parkable -> parkable.endpointId().equals(endpoint(1)))
        .allMatch(parkable -> parkable.delay().equals(Duration.ofSeconds(60)));
    assertThat(parked).hasSizeGreaterThanOrEqualTo(waitedFor / 2);
    assertThat(small.lanes().isFull()).isFalse();
    assertThat(small.lanes().drain(endpoint(1), _ -> true, small.nowNanos()))
        .startsWith("1-35", "1-36");
  }

  @Test
  void settingsThatCannotWorkAreRefused() {
    Duration second = Duration.ofSeconds(1);
    assertThatThrownBy(() -> new LaneSettings.Concurrency(0, 4, second, second))
        .hasMessage("initial is not in 1..max");
    assertThatThrownBy(() -> new LaneSettings.Concurrency(1, 4, Duration.ZERO, second))
        .hasMessage("slowAfter is not positive");
    assertThatThrownBy(() -> new LaneSettings.Parking(second, second, second, Duration.ZERO))
        .hasMessage("delayMax is below delayMin");
    assertThatThrownBy(() -> new LaneSettings.Bounds(10, 11, 10, 9, 5, 1))
        .hasMessage("probesInFlightMax is not in 1..inFlightMax");
    assertThatThrownBy(() -> new LaneSettings.Bounds(10, 1, 10, 9, 9, 1))
        .hasMessage("not resumeAtQueued < pauseAtQueued <= queuedMax");
  }

  private static VirtualLanes lanes(LaneSettings.Bounds bounds) {
    return new VirtualLanes(VirtualLanes.settings(bounds));
  }
}
