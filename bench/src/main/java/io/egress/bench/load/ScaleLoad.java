package io.egress.bench.load;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What the dispatchers of a scaling measurement have to do, and what bounds them.
 *
 * @param hangingEach endpoints of each workspace that hang, out of {@link PushEndpoints#MIXED_EACH}
 * @param inFlight attempts of a worker at a time
 * @param workersEach workers of a process
 */
record ScaleLoad(
    int workspaces,
    int hangingEach,
    Duration latency,
    int inFlight,
    int workersEach,
    int warmUpSeconds,
    int seconds) {
  /** Of a worker's attempts, this share goes to endpoints that hang, however few these are. */
  private static final double SHARE_OF_HANGING = 0.25;

  /** Partitions hold different numbers of endpoints, so the last worker is done later. */
  private static final double BACKLOG_MARGIN = 1.5;

  int healthyEach() {
    return PushEndpoints.MIXED_EACH - hangingEach;
  }

  int healthy() {
    return workspaces * healthyEach();
  }

  /** Deliveries a second that the limit of attempts lets a process make. */
  double perSecondMax() {
    double share = hangingEach == 0 ? 1 : 1 - SHARE_OF_HANGING;
    return workersEach * inFlight * share * TimeUnit.SECONDS.toMillis(1) / latency.toMillis();
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

  /** Captures a second, so that the processes are at half of what they can do. */
  double halfPace(double deliveriesPerSecond) {
    return deliveriesPerSecond / 2 / healthyEach();
  }
}
