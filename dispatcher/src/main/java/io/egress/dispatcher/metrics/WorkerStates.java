package io.egress.dispatcher.metrics;

import io.egress.platform.metrics.Metrics;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/** The sum of the last reports of a process's workers. */
public final class WorkerStates {
  /**
   * The state of a worker a moment ago.
   *
   * @param polledNanos when its consumer last polled, by {@link System#nanoTime}
   * @param inFlight deliveries that hold a slot
   * @param queued deliveries waiting in lanes
   * @param stuckLanes stuck endpoints
   * @param recordsPending records of next attempts that Kafka has not acknowledged
   * @param outcomesPending outcomes not yet written to the delivery log
   * @param historyAhead deliveries of history that were published and have not ended
   * @param catchUps endpoints that are sent from the stream what is beyond their share
   * @param quietNanos for how long deliveries have been due and none was finished
   * @param stages unfinished records, by stage
   */
  public record WorkerState(
      long polledNanos,
      int inFlight,
      int queued,
      int stuckLanes,
      int recordsPending,
      int outcomesPending,
      int historyAhead,
      int catchUps,
      long quietNanos,
      Map<String, StageState> stages) {
    public WorkerState {
      stages = Map.copyOf(stages);
    }
  }

  /**
   * A stage at one worker.
   *
   * @param due deliveries that are due and not finished, of those read
   * @param overdueSeconds for how long the first of them has been due
   */
  public record StageState(int due, double overdueSeconds) {
    private static final StageState NOTHING = new StageState(0, 0);

    public StageState and(StageState other) {
      return new StageState(due + other.due, Math.max(overdueSeconds, other.overdueSeconds));
    }
  }

  private final Map<Object, WorkerState> states = new ConcurrentHashMap<>();

  /** {@code stages} are all stages. */
  public WorkerStates(Metrics metrics, Collection<String> stages) {
    sum(
        metrics,
        "egress_attempts_in_flight",
        "deliveries being prepared or attempted",
        WorkerState::inFlight);
    sum(metrics, "egress_deliveries_queued", "deliveries waiting in lanes", WorkerState::queued);
    sum(
        metrics,
        "egress_endpoints_stuck",
        "endpoints with waiting deliveries and no progress",
        WorkerState::stuckLanes);
    sum(
        metrics,
        "egress_records_pending",
        "records of next attempts not yet acknowledged by Kafka",
        WorkerState::recordsPending);
    sum(
        metrics,
        "egress_outcomes_pending",
        "outcomes not yet written to the delivery log",
        WorkerState::outcomesPending);
    sum(
        metrics,
        "egress_history_ahead",
        "published deliveries of history that are not finished",
        WorkerState::historyAhead);
    sum(
        metrics,
        "egress_endpoints_catching_up",
        "endpoints that are sent from the stream what is more than Kafka holds for them",
        WorkerState::catchUps);
    stages.forEach(stage -> addStage(metrics, stage));
  }

  public void report(Object worker, WorkerState state) {
    states.put(worker, state);
  }

  public void forget(Object worker) {
    states.remove(worker);
  }

  /** Whether a worker has polled within {@code max}. */
  public boolean poll(Duration max) {
    long now = System.nanoTime();
    return states.values().stream().anyMatch(state -> now - state.polledNanos() <= max.toNanos());
  }

  /** Whether no worker has had deliveries to make for {@code max} without finishing one. */
  public boolean progressWithin(Duration max) {
    return states.values().stream().allMatch(state -> state.quietNanos() <= max.toNanos());
  }

  private void addStage(Metrics metrics, String stage) {
    metrics.gauge(
        "egress_deliveries_due",
        "deliveries read from Kafka that are due and not finished",
        () -> of(stage).due(),
        "stage",
        stage);
    metrics.gauge(
        "egress_deliveries_overdue_seconds",
        "how long the oldest due delivery has been due",
        () -> of(stage).overdueSeconds(),
        "stage",
        stage);
  }

  private StageState of(String stage) {
    return states.values().stream()
        .map(state -> state.stages().getOrDefault(stage, StageState.NOTHING))
        .reduce(StageState.NOTHING, StageState::and);
  }

  private void sum(
      Metrics metrics, String name, String meaning, ToDoubleFunction<WorkerState> value) {
    metrics.gauge(name, meaning, () -> states.values().stream().mapToDouble(value).sum());
  }
}
