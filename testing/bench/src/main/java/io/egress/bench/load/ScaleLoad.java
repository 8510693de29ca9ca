package io.egress.bench.load;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The work of the dispatchers in a scaling measurement, and its limits.
 *
 * @param hangingEach hanging endpoints of each workspace, out of {@link PushEndpoints#MIXED_EACH}
 * @param inFlight attempts in flight per process
 */
record ScaleLoad(
    int workspaces,
    int hangingEach,
    Duration latency,
    int inFlight,
    int warmUpSeconds,
    int seconds) {
  /** The share of a worker's attempts that goes to hanging endpoints, however few there are. */
  private static final double SHARE_OF_HANGING = 0.25;

  /** Partitions hold different numbers of endpoints, so the last worker finishes later. */
  private static final double BACKLOG_MARGIN = 1.5;

  int healthyEach() {
    return PushEndpoints.MIXED_EACH - hangingEach;
  }

  int healthy() {
    return workspaces * healthyEach();
  }

  /** The deliveries per second that the limit of attempts allows a process. */
  double perSecondMax() {
    double share = hangingEach == 0 ? 1 : 1 - SHARE_OF_HANGING;
    return inFlight * share * TimeUnit.SECONDS.toMillis(1) / latency.toMillis();
  }

  /** Deliveries before the measurement. */
  int warmUp(int processes) {
    return (int) (processes * perSecondMax() * warmUpSeconds);
  }

  /** Captures of each workspace, enough to keep the processes busy. */
  int backlogEach(int processes) {
    double deliveries = processes * perSecondMax() * (warmUpSeconds + seconds) * BACKLOG_MARGIN;
    return (int) Math.ceil(deliveries / healthy());
  }

  /** Captures per second for half the capacity of the processes. */
  double halfPace(double deliveriesPerSecond) {
    return deliveriesPerSecond / 2 / healthyEach();
  }
}
