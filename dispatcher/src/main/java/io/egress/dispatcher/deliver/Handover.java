package io.egress.dispatcher.deliver;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains partitions. Waiting jobs are dropped at once, and so are attempts to stuck endpoints,
 * since all other endpoints wait for the next owner meanwhile. Other attempts may finish for a
 * while and are then aborted. The next owner repeats what was not finished.
 */
final class Handover {
  private static final Logger log = LoggerFactory.getLogger(Handover.class);

  private static final String GOES_TO_ANOTHER = "the partition goes to another worker";

  private record Draining(Set<TopicPartition> partitions, Promise<Void> drained) {}

  private final Vertx vertx;
  private final Workload workload;
  private final List<Draining> draining = new ArrayList<>();

  Handover(Vertx vertx, Workload workload) {
    this.vertx = vertx;
    this.workload = workload;
  }

  /** Returns the offsets to commit, after {@code patience} at the latest. */
  Future<Map<TopicPartition, Long>> drain(Set<TopicPartition> partitions, Duration patience) {
    workload.dropWaiting(partitions);
    workload.abandonStuck(partitions, GOES_TO_ANOTHER);
    Draining drain = new Draining(partitions, Promise.promise());
    draining.add(drain);
    long timer = vertx.setTimer(Math.max(1, patience.toMillis()), _ -> giveUp(drain));
    check();
    return drain
        .drained()
        .future()
        .map(_ -> {
          vertx.cancelTimer(timer);
          draining.remove(drain);
          return workload.revoke(partitions);
        });
  }

  /** The partitions belong to another worker already: jobs in progress are aborted. */
  void lose(Set<TopicPartition> partitions) {
    workload.dropWaiting(partitions);
    workload.abandon(partitions, "the partition was lost");
    workload.revoke(partitions);
    check();
  }

  /** Called whenever a job may have ended. */
  void check() {
    for (Draining drain : List.copyOf(draining)) {
      if (!workload.isWorkingOn(drain.partitions())) {
        drain.drained().tryComplete();
      }
    }
  }

  private void giveUp(Draining drain) {
    log.info("Handing over {} partitions with attempts in progress", drain.partitions().size());
    workload.abandon(drain.partitions(), GOES_TO_ANOTHER);
    drain.drained().tryComplete();
  }
}
