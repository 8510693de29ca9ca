package io.egress.dispatcher.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.metrics.WorkerStates.WorkerState;
import io.egress.platform.metrics.Metrics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerStatesTest {
  private final Metrics metrics = new Metrics();
  private final WorkerStates states = new WorkerStates(metrics, List.of("first"));

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void oneWorkerThatFinishesNothingIsEnough() {
    states.report("one", quietFor(Duration.ofSeconds(5)));
    assertThat(states.progressWithin(Duration.ofMinutes(1))).isTrue();
    states.report("two", quietFor(Duration.ofSeconds(61)));
    assertThat(states.progressWithin(Duration.ofMinutes(1))).isFalse();
    states.forget("two");
    assertThat(states.progressWithin(Duration.ofMinutes(1))).isTrue();
  }

  private static WorkerState quietFor(Duration quiet) {
    return new WorkerState(System.nanoTime(), 0, 0, 0, 0, 0, 0, 0, quiet.toNanos(), Map.of());
  }
}
