package io.egress.dispatcher.lane;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.lane.Lanes.Completion;
import io.egress.dispatcher.lane.Lanes.Limits;
import io.egress.dispatcher.lane.Lanes.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lanes of endpoints whose owners set limits. */
class LaneLimitsTest {
  private static final Limits ONE_AT_A_TIME = new Limits(0, 1);
  private static final Limits TEN_A_SECOND = new Limits(10, Integer.MAX_VALUE);

  private final VirtualLanes virtual = new VirtualLanes(LaneSettings.defaults());
  private final Lanes<String> lanes = virtual.lanes();

  @Test
  void learnsALimitFromTheFirstAttemptsAndKeepsItForThem() {
    virtual.offerMany(1, 10);

    List<InFlight<String>> sent = startAll(ONE_AT_A_TIME);

    assertThat(sent).hasSize(1);
    assertThat(virtual.lane(1).inFlight()).isEqualTo(1);
    assertThat(virtual.lane(1).waiting()).isEqualTo(9);
  }

  @Test
  void keepsToOneAtATimeThroughoutAndTakesALiftedLimitBack() {
    virtual.offerMany(1, 50);
    for (int i = 0; i < 20; i++) {
      List<InFlight<String>> sent = startAll(ONE_AT_A_TIME);
      assertThat(sent).hasSize(1);
      virtual.jump(Duration.ofMillis(20));
      virtual.complete(Completion.DELIVERED, sent);
    }
    List<InFlight<String>> lifted = startAll(Limits.NONE);
    virtual.complete(Completion.DELIVERED, lifted);

    assertThat(startAll(Limits.NONE)).hasSizeBetween(2, 8);
  }

  @Test
  void spacesStartsEvenly() {
    virtual.offerMany(1, 200);
    int first = countFor(TEN_A_SECOND, Duration.ofSeconds(1));
    int next = countFor(TEN_A_SECOND, Duration.ofSeconds(10));

    assertThat(first).isBetween(9, 11);
    assertThat(next).isBetween(90, 101);
  }

  @Test
  void catchesUpByALittleOnlyAfterAPause() {
    virtual.offerMany(1, 200);
    countFor(TEN_A_SECOND, Duration.ofSeconds(1));
    virtual.jump(Duration.ofSeconds(30));

    assertThat(countFor(TEN_A_SECOND, Duration.ofSeconds(1))).isLessThanOrEqualTo(12);
  }

  @Test
  void whatIsHeldUpBeforeItIsSentStartsNoMore() {
    virtual.offerMany(1, 200);
    countFor(TEN_A_SECOND, Duration.ofSeconds(1));
    List<InFlight<String>> unsent = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      virtual.jump(Duration.ofMillis(100));
      InFlight<String> next = lanes.next(virtual.nowNanos());
      if (next != null) {
        unsent.add(next);
      }
    }

    assertThat(unsent).hasSize(1);
    assertThat(lanes.admit(unsent.get(0), TEN_A_SECOND, virtual.nowNanos())).isTrue();
    assertThat(lanes.next(virtual.nowNanos())).isNotNull();
  }

  @Test
  void tellsWhenTheNextMayStart() {
    assertThat(lanes.nextPacedNanos()).isNull();
    virtual.offerMany(1, 3);
    startAll(TEN_A_SECOND);

    long next = requireNonNull(lanes.nextPacedNanos());
    assertThat(Duration.ofNanos(next - virtual.nowNanos())).isEqualTo(Duration.ofMillis(100));

    lanes.drop(_ -> true, virtual.nowNanos());
    assertThat(lanes.nextPacedNanos()).isNull();
  }

  @Test
  void aLimitedLaneDelaysNoOther() {
    virtual.offerMany(1, 15_000);
    startAll(new Limits(1, 1));
    virtual.pass(Duration.ofMillis(200));

    assertThat(lanes.isFull()).isFalse();
    virtual.offer(2, "other");
    InFlight<String> started = requireNonNull(lanes.next(virtual.nowNanos()));
    assertThat(started.record()).isEqualTo("other");
  }

  @Test
  void parksWhatWaitsTooLongForItsLimitUntilTheRestIsWorkedOff() {
    virtual.offerMany(1, 1_000);
    startAll(TEN_A_SECOND);
    virtual.tick();

    List<Lanes.Parkable<String>> parked = virtual.takeParked();
    assertThat(virtual.lane(1).waiting()).isEqualTo(100);
    assertThat(parked).hasSize(899);
    assertThat(parked)
        .allSatisfy(each -> assertThat(each.delay()).isEqualTo(Duration.ofSeconds(10)));
    assertThat(virtual.lane(1).stuck()).isFalse();
  }

  @Test
  void anEndpointThatIsSlowOneAtATimeIsNotStuck() {
    virtual.offerMany(1, 100);
    for (int i = 0; i < 10; i++) {
      List<InFlight<String>> sent = startAll(ONE_AT_A_TIME);
      virtual.pass(Duration.ofSeconds(5));
      assertThat(virtual.lane(1).stuck()).isFalse();
      virtual.complete(Completion.DELIVERED, sent);
    }
    assertThat(virtual.takeParked()).isEmpty();
  }

  @Test
  void aLimitedEndpointThatHangsIsStuckAllTheSame() {
    virtual.offerMany(1, 100);
    startAll(ONE_AT_A_TIME);
    virtual.pass(Duration.ofSeconds(9));

    assertThat(virtual.lane(1).stuck()).isTrue();
    assertThat(virtual.takeParked()).hasSize(98);
  }

  @Test
  void aPacedEndpointThatAnswersIsNotStuckHoweverSeldomItsTurnComes() {
    virtual.offerMany(1, 10);
    Limits onceASecond = new Limits(1, Integer.MAX_VALUE);
    for (int i = 0; i < 5; i++) {
      virtual.complete(Completion.DELIVERED, startAll(onceASecond));
      virtual.pass(Duration.ofSeconds(5));
      assertThat(virtual.lane(1).stuck()).isFalse();
    }
    assertThat(virtual.lane(1).waiting()).isEqualTo(5);
  }

  private int countFor(Limits limits, Duration time) {
    int count = 0;
    for (long millis = 0; millis < time.toMillis(); millis += 5) {
      List<InFlight<String>> sent = startAll(limits);
      count += sent.size();
      virtual.complete(Completion.DELIVERED, sent);
      virtual.jump(Duration.ofMillis(5));
    }
    return count;
  }

  /** As the worker does: what may not be sent goes back to its lane. */
  private List<InFlight<String>> startAll(Limits limits) {
    List<InFlight<String>> started = new ArrayList<>();
    InFlight<String> next = lanes.next(virtual.nowNanos());
    while (next != null) {
      started.add(next);
      next = lanes.next(virtual.nowNanos());
    }
    List<InFlight<String>> sent = new ArrayList<>();
    for (InFlight<String> each : started) {
      if (lanes.admit(each, limits, virtual.nowNanos())) {
        lanes.sent(each, virtual.nowNanos());
        sent.add(each);
      } else {
        lanes.completed(each, Completion.ABORTED, virtual.nowNanos());
        lanes.offer(each.endpointId(), Priority.LIVE, each.record(), virtual.nowNanos());
      }
    }
    return sent;
  }
}
