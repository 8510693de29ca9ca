package io.egress.dispatcher.supervise;

import io.vertx.core.Future;
import java.time.Duration;

/** One membership in a consumer group. All methods are called on its event loop. */
public interface GroupMember {
  Future<Void> start();

  /** Finishes what is in progress, commits, and leaves the group. */
  Future<Void> close();

  /** Aborts what is in progress and leaves the group without a commit. */
  Future<Void> release();

  /** Called after {@link #release}, once PostgreSQL and Kafka answer: writes known results. */
  Future<Void> flush(Duration max);
}
