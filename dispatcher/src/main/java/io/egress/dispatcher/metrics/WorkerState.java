package io.egress.dispatcher.metrics;

import static java.util.Objects.requireNonNull;

import java.util.Map;

/**
 * How a worker stood a moment ago.
 *
 * @param polledNanos when its consumer last polled, as {@link System#nanoTime} has it
 * @param inFlight deliveries that hold a slot
 * @param queued deliveries that wait in lanes
 * @param stuckLanes endpoints that get nothing done
 * @param recordsPending next records that Kafka has not acknowledged
 * @param outcomesPending outcomes that the delivery log has not written
 * @param historyAhead deliveries of history that were published and have not ended
 * @param stages what was read and is not finished, by stage
 */
public record WorkerState(
    long polledNanos,
    int inFlight,
    int queued,
    int stuckLanes,
    int recordsPending,
    int outcomesPending,
    int historyAhead,
    Map<String, StageState> stages) {
  public WorkerState {
    stages = Map.copyOf(requireNonNull(stages, "stages is null"));
  }

  /**
   * A stage at one worker.
   *
   * @param due deliveries that are due and not finished, as far as they are read
   * @param overdueSeconds for how long the first of them is due
   */
  public record StageState(int due, double overdueSeconds) {
    public static final StageState NOTHING = new StageState(0, 0);

    public StageState and(StageState other) {
      return new StageState(due + other.due, Math.max(overdueSeconds, other.overdueSeconds));
    }
  }
}
