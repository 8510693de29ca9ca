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

  private final DeliveryPipeline pipeline;
  private final RecordConsumer consumer;
  private final BackfillPublisher backfills;
  private final Stages stages;
  private long finished;
  private long quietSinceNanos = System.nanoTime();

  Observation(
      DeliveryPipeline pipeline,
      RecordConsumer consumer,
      BackfillPublisher backfills,
      Stages stages) {
    this.pipeline = pipeline;
    this.consumer = consumer;
    this.backfills = backfills;
    this.stages = stages;
  }

  WorkerState now(Instant now) {
    long nanos = System.nanoTime();
    Workload workload = pipeline.workload();
    if (workload.waiting() + workload.inWork() == 0 || finished != workload.finished()) {
      finished = workload.finished();
      quietSinceNanos = nanos;
    }
    return new WorkerState(
        nanos - consumer.sinceLastPoll().toNanos(),
        workload.inFlight(),
        workload.waiting(),
        workload.stuckLanes(),
        pipeline.outcomes().recordsPending(),
        pipeline.outcomes().outcomesPending(),
        backfills.ahead(),
        backfills.catchUps(),
        nanos - quietSinceNanos,
        stages(now, nanos));
  }

  private Map<String, StageState> stages(Instant now, long nanos) {
    Map<String, StageState> states = new HashMap<>();
    for (TopicPartition partition : consumer.assigned()) {
      int due = pipeline.workload().ledger(partition).map(PartitionLedger::outstanding).orElse(0);
      double overdue = Math.max(unfinished(partition, nanos), unread(partition, now));
      states.merge(stages.of(partition.topic()), new StageState(due, overdue), StageState::and);
    }
    return states;
  }

  private double unfinished(TopicPartition partition, long nanos) {
    return pipeline
        .workload()
        .ledger(partition)
        .flatMap(PartitionLedger::oldestOutstanding)
        .map(Outstanding::sinceNanos)
        .map(since -> (nanos - since) / NANOS_PER_SECOND)
        .orElse(0.0);
  }

  private double unread(TopicPartition partition, Instant now) {
    Instant due = pipeline.pauses().headDue(partition);
    return due == null ? 0 : Math.max(0, Duration.between(due, now).toMillis() / MILLIS_PER_SECOND);
  }
}
