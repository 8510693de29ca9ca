package io.egress.dispatcher.lane;

import static io.egress.dispatcher.lane.VirtualLanes.endpoint;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.lane.Lanes.Completion;
import io.egress.dispatcher.lane.Lanes.Parkable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LaneParkingTest {
  private static final Duration FAST = Duration.ofMillis(20);
  private static final Duration STUCK_AFTER = Duration.ofSeconds(2);
  private static final Duration UNTIL_TIMEOUT = Duration.ofSeconds(8);

  private final VirtualLanes virtual = new VirtualLanes(LaneSettings.defaults());
  private final Lanes<String> lanes = virtual.lanes();

  @Test
  void aHangingLaneParksWhatWaitsBeyondItsNextRound() {
    virtual.offerMany(1, 10);
    virtual.startAll();

    virtual.pass(Duration.ofMillis(1_900));
    assertThat(virtual.takeParked()).isEmpty();
    assertThat(virtual.lane(1).stuck()).isFalse();

    virtual.pass(Duration.ofMillis(100));
    assertThat(virtual.takeParked())
        .containsExactly(
            new Parkable<>(endpoint(1), "1-8", Duration.ofSeconds(5)),
            new Parkable<>(endpoint(1), "1-9", Duration.ofSeconds(5)));
    assertThat(virtual.lane(1)).isEqualTo(new Lanes.State(4, 4, 4, true));
    assertThat(lanes.stuckLanes()).isOne();
  }

  @Test
  void whatIsOfferedToAStuckLaneIsParkableAtOnce() {
    hang(1);
    virtual.offer(1, "late");
    virtual.tick();

    assertThat(virtual.takeParkedRecords()).containsExactly("late");
  }

  @Test
  void backfillIsParkedBeforeLiveRecords() {
    hang(1);
    virtual.offerBackfill(1, "old");
    virtual.offer(1, "live");
    virtual.tick();

    assertThat(virtual.takeParkedRecords()).containsExactlyInAnyOrder("live", "old");
    virtual.offerBackfill(1, "old-2");
    virtual.tick();
    assertThat(virtual.takeParkedRecords()).containsExactly("old-2");
  }

  @Test
  void recordsThatKeepComingDoNotPutItOff() {
    virtual.offerMany(1, 5);
    virtual.startAll();
    for (int i = 0; i < 20; i++) {
      virtual.offer(1, "late-" + i);
      virtual.pass(Duration.ofMillis(100));
    }
    assertThat(virtual.lane(1).stuck()).isTrue();
  }

  @Test
  void theParkingDelayDoublesAsTheLaneStaysStuckWhateverTheNumberOfRecords() {
    hang(1);
    List<Duration> delays = new ArrayList<>();
    for (int tenths = 0; tenths < 2_000; tenths++) {
      virtual.offer(1, "late");
      virtual.tick();
      virtual.takeParked().forEach(parkable -> delays.add(parkable.delay()));
      virtual.jump(Duration.ofMillis(100));
    }
    assertThat(delays).hasSize(2_000);
    assertThat(delays.stream().distinct().map(Duration::toSeconds))
        .containsExactly(5L, 10L, 20L, 40L, 60L);
    assertThat(delays.stream().filter(Duration.ofSeconds(10)::equals).count()).isEqualTo(100);
  }

  @Test
  void anAnswerResetsTheParkingDelay() {
    List<InFlight<String>> hung = hang(1);
    virtual.pass(Duration.ofSeconds(7));
    virtual.offer(1, "late");
    virtual.tick();
    assertThat(virtual.takeParked())
        .extracting(Parkable::delay)
        .containsExactly(Duration.ofSeconds(10));

    virtual.complete(Completion.DELIVERED, hung.get(0));
    assertThat(virtual.lane(1).stuck()).isFalse();
    assertThat(virtual.startAll()).as("the lane goes on with all its slots").hasSize(1);

    virtual.offerMany(1, 10);
    virtual.pass(STUCK_AFTER);
    assertThat(virtual.takeParked())
        .isNotEmpty()
        .allMatch(parkable -> parkable.delay().equals(Duration.ofSeconds(5)));
  }

  @Test
  void aStuckLaneIsTriedWithOneAttemptAtATime() {
    List<InFlight<String>> hung = hang(1);
    virtual.pass(UNTIL_TIMEOUT);
    virtual.complete(Completion.UNANSWERED, hung);

    assertThat(virtual.lane(1).limit()).isEqualTo(1);
    List<InFlight<String>> probe = virtual.startAll();
    assertThat(probe).hasSize(1);
    virtual.pass(Duration.ofSeconds(1));
    assertThat(virtual.takeParkedRecords()).as("all but the next probe").hasSize(2);

    virtual.complete(Completion.UNANSWERED, probe);
    assertThat(virtual.startAll()).hasSize(1);
  }

  @Test
  void aProbeThatIsAnsweredLetsTheLaneClimbAgain() {
    List<InFlight<String>> hung = hang(1);
    virtual.pass(UNTIL_TIMEOUT);
    virtual.complete(Completion.UNANSWERED, hung);
    InFlight<String> probe = virtual.startOne();
    virtual.jump(FAST);
    virtual.complete(Completion.DELIVERED, probe);

    assertThat(virtual.lane(1).stuck()).isFalse();
    virtual.offerMany(1, 3_000);
    virtual.deliverAll(1, FAST);
    assertThat(virtual.lane(1).limit()).isEqualTo(64);
    virtual.tick();
    assertThat(virtual.takeParked()).isEmpty();
  }

  @Test
  void aSlowEndpointKeepsItsPace() {
    virtual.offerMany(1, 40);
    int answered = 0;
    List<InFlight<String>> started = virtual.startAll();
    while (!started.isEmpty()) {
      virtual.pass(Duration.ofSeconds(3));
      virtual.complete(Completion.DELIVERED, started);
      answered += started.size();
      virtual.offer(1, virtual.takeParkedRecords().toArray(String[]::new));
      started = virtual.startAll();
      assertThat(started.size()).isIn(4, 0);
    }
    assertThat(answered).isEqualTo(40);
    assertThat(virtual.lane(1).limit()).isEqualTo(4);
  }

  @Test
  void anAbortIsNoAnswer() {
    List<InFlight<String>> hung = hang(1);
    virtual.complete(Completion.ABORTED, hung.get(0));

    assertThat(virtual.lane(1).stuck()).isTrue();
  }

  /** Full with four attempts that get no answer, four more records wait. */
  private List<InFlight<String>> hang(int endpoint) {
    virtual.offerMany(endpoint, 8);
    List<InFlight<String>> hung = virtual.startAll();
    virtual.pass(STUCK_AFTER);
    assertThat(virtual.lane(endpoint)).isEqualTo(new Lanes.State(4, 4, 4, true));
    assertThat(virtual.takeParked()).isEmpty();
    return hung;
  }
}
