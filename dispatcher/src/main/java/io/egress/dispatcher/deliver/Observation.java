package io.egress.dispatcher.deliver;

import io.egress.dispatcher.backfill.BackfillPublisher;
import io.egress.dispatcher.consume.RecordConsumer;
import io.egress.dispatcher.ledger.PartitionLedger;
import io.egress.dispatcher.ledger.PartitionLedger.Outstanding;
import io.egress.dispatcher.metrics.Stages;
import io.egress.dispatcher.metrics.WorkerStates.StageState;
import io.egress.dispatcher.metrics.WorkerStates.WorkerState;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Reports the state of a worker to its metrics. Owned by the worker's event loop. */
final class Observation {
  private static final double NANOS_PER_SECOND = Duration.ofSeconds(1).toNanos();
  private static final double MILLIS_PER_SECOND = 1_000;

  /** The parts of a worker. */
  record Worker(
      Workload workload,
      Pauses pauses,
      OutcomeRecorder outcomes,
      RecordConsumer consumer,
      BackfillPublisher backfills) {}

  private final Worker worker;
  private final Stages stages;
  private long finished;
  private long quietSinceNanos = System.nanoTime();

  Observation(Worker worker, Stages stages) {
    this.worker = worker;
    this.stages = stages;
  }

  WorkerState now(Instant now) {
    long nanos = System.nanoTime();
    Workload workload = worker.workload();
    if (workload.waiting() + workload.inWork() == 0 || finished != workload.finished()) {
      finished = workload.finished();
      quietSinceNanos = nanos;
    }
    return new WorkerState(
        nanos - worker.consumer().sinceLastPoll().toNanos(),
        workload.inFlight(),
        workload.waiting(),
        workload.stuckLanes(),
        worker.outcomes().recordsPending(),
        worker.outcomes().outcomesPending(),
        worker.backfills().ahead(),
        worker.backfills().catchUps(),
        nanos - quietSinceNanos,
        stages(now, nanos));
  }

  private Map<String, StageState> stages(Instant now, long nanos) {
    Map<String, StageState> states = new HashMap<>();
    for (TopicPartition partition : worker.consumer().assigned()) {
      int due = worker.workload().ledger(partition).map(PartitionLedger::outstanding).orElse(0);
      double overdue = Math.max(unfinished(partition, nanos), unread(partition, now));
      states.merge(stages.of(partition.topic()), new StageState(due, overdue), StageState::and);
    }
    return states;
  }

  private double unfinished(TopicPartition partition, long nanos) {
    return worker
        .workload()
        .ledger(partition)
        .flatMap(PartitionLedger::oldestOutstanding)
        .map(Outstanding::sinceNanos)
        .map(since -> (nanos - since) / NANOS_PER_SECOND)
        .orElse(0.0);
  }

  private double unread(TopicPartition partition, Instant now) {
    Instant due = worker.pauses().headDue(partition);
    return due == null ? 0 : Math.max(0, Duration.between(due, now).toMillis() / MILLIS_PER_SECOND);
  }
}
