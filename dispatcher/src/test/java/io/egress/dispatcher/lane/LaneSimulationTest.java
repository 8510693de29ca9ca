package io.egress.dispatcher.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.lane.LaneSimulation.Endpoint;
import io.egress.dispatcher.lane.LaneSimulation.Tally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LaneSimulationTest {
  private static final long SEED = 20_260_401;
  private static final Duration HANG_FROM = Duration.ofSeconds(10);
  private static final Duration HANG_UNTIL = Duration.ofSeconds(40);
  private static final Duration ARRIVALS = Duration.ofSeconds(60);

  @Test
  void healthyEndpointsDoNotNoticeThatATenthOfAllHang() {
    List<Endpoint> healthy = endpoints(0, 180, 20);
    List<Endpoint> hanging = hanging(endpoints(180, 200, 20));

    LaneSimulation baseline = run(LaneSettings.defaults(), healthy, ARRIVALS);
    LaneSimulation simulation = run(LaneSettings.defaults(), join(healthy, hanging), ARRIVALS);

    for (Endpoint endpoint : healthy) {
      assertThat(simulation.tally(endpoint).waitsNanos)
          .as("waits of %s are what they are without the hanging ones", endpoint)
          .isEqualTo(baseline.tally(endpoint).waitsNanos);
      assertThat(simulation.tally(endpoint).parked).isZero();
    }
    assertThat(simulation.timeFull()).isZero();
    assertThat(hanging).allMatch(endpoint -> simulation.tally(endpoint).parked > 0);
  }

  @Test
  void hangingEndpointsAreParkedAndClimbAgainWhenTheyAnswer() {
    List<Endpoint> hanging = hanging(endpoints(180, 200, 20));
    LaneSimulation simulation =
        new LaneSimulation(
            LaneSettings.defaults(), join(endpoints(0, 180, 20), hanging), ARRIVALS, SEED);

    simulation.run(Duration.ofSeconds(39));
    assertThat(simulation.lanes().stuckLanes()).isEqualTo(20);
    assertThat(simulation.lanes().inFlight()).isLessThan(180 + 2 * 20);
    simulation.run(Duration.ofSeconds(52));
    assertThat(simulation.lanes().stuckLanes()).isZero();
    simulation.run(Duration.ofSeconds(130));

    assertThat(simulation.openRecords()).isZero();
    assertThat(simulation.lanes().inFlight()).isZero();
    for (Endpoint endpoint : hanging) {
      Tally tally = simulation.tally(endpoint);
      assertThat(tally.delivered + tally.unanswered).isEqualTo(tally.arrived);
      assertThat(tally.unanswered).as("few attempts are spent on a silent endpoint").isLessThan(90);
      assertThat(simulation.lanes().lane(endpoint.id()).orElseThrow().limit()).isGreaterThan(3);
    }
  }

  @Test
  void healthyEndpointsGetSlotsWhenHangingOnesCouldFillThemAll() {
    LaneSettings.Bounds few = new LaneSettings.Bounds(300, 75, 20_000, 16_000, 8_000, 10_000);
    List<Endpoint> healthy = endpoints(0, 180, 20);
    List<Endpoint> hanging = hanging(endpoints(180, 200, 60));

    LaneSimulation baseline = run(VirtualLanes.settings(few), healthy, ARRIVALS);
    LaneSimulation simulation = run(VirtualLanes.settings(few), join(healthy, hanging), ARRIVALS);

    Duration usual = baseline.wait(healthy, 0.999);
    assertThat(simulation.wait(healthy, 0.99)).isLessThanOrEqualTo(usual);
    assertThat(simulation.wait(healthy, 0.999)).isLessThan(usual.plusMillis(50));
    assertThat(healthy).allMatch(endpoint -> simulation.tally(endpoint).parked == 0);
  }

  @Test
  @Tag("full")
  void theOnlyHealthyEndpointAmongManyHangingOnesIsServedAsIfAlone() {
    List<Endpoint> healthy = endpoints(0, 1, 100);
    List<Endpoint> hanging = hanging(endpoints(1, 300, 20));

    LaneSimulation baseline = run(LaneSettings.defaults(), healthy, ARRIVALS);
    LaneSimulation simulation = run(LaneSettings.defaults(), join(healthy, hanging), ARRIVALS);

    assertThat(simulation.wait(healthy, 0.99)).isLessThanOrEqualTo(baseline.wait(healthy, 0.999));
    assertThat(simulation.timeFull()).isZero();
    assertThat(simulation.tally(healthy.get(0)).parked).isZero();
  }

  @Test
  @Tag("full")
  void anEndpointThatIsNeverStuckButTooSlowForItsTrafficDoesNotStopTheIntake() {
    List<Endpoint> healthy = endpoints(0, 50, 10);
    Endpoint overloaded = Endpoint.healthy(50, 300).answeringAfter(Duration.ofSeconds(1));
    Duration arrivals = Duration.ofSeconds(400);

    LaneSimulation simulation =
        run(LaneSettings.defaults(), join(healthy, List.of(overloaded)), arrivals);

    assertThat(simulation.tally(overloaded).parked).isPositive();
    assertThat(healthy).allMatch(endpoint -> simulation.tally(endpoint).parked == 0);
    assertThat(simulation.timeFull()).isLessThan(Duration.ofSeconds(4));
    assertThat(simulation.wait(healthy, 0.99)).isLessThan(Duration.ofMillis(100));
    assertThat(simulation.tally(overloaded).delivered)
        .as("its slots are kept busy")
        .isGreaterThan(64 * 380);
  }

  @Test
  void aDeepBacklogDelaysNewcomersByNoMoreThanTheirShare() {
    LaneSettings.Bounds few = new LaneSettings.Bounds(32, 8, 20_000, 16_000, 8_000, 10_000);
    Endpoint deep = Endpoint.healthy(0, 1);
    List<Endpoint> newcomers = endpoints(1, 21, 5);
    LaneSimulation simulation =
        new LaneSimulation(
            VirtualLanes.settings(few), join(List.of(deep), newcomers), ARRIVALS, SEED);
    simulation.backlog(deep, 10_000);

    simulation.run(Duration.ofSeconds(10));
    assertThat(simulation.wait(newcomers, 1)).isLessThan(Duration.ofMillis(50));
    simulation.run(Duration.ofSeconds(40));
    assertThat(simulation.tally(deep).delivered).isGreaterThan(10_000);
    assertThat(simulation.tally(deep).parked).isZero();
  }

  private static LaneSimulation run(
      LaneSettings settings, List<Endpoint> endpoints, Duration arrivals) {
    LaneSimulation simulation = new LaneSimulation(settings, endpoints, arrivals, SEED);
    simulation.run(arrivals);
    return simulation;
  }

  private static List<Endpoint> endpoints(int from, int until, double perSecond) {
    return IntStream.range(from, until)
        .mapToObj(number -> Endpoint.healthy(number, perSecond))
        .toList();
  }

  private static List<Endpoint> hanging(List<Endpoint> endpoints) {
    return endpoints.stream().map(endpoint -> endpoint.hanging(HANG_FROM, HANG_UNTIL)).toList();
  }

  private static List<Endpoint> join(List<Endpoint> some, List<Endpoint> others) {
    return new ArrayList<>(Stream.concat(some.stream(), others.stream()).toList());
  }
}
