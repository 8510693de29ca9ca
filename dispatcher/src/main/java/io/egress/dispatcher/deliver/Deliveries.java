package io.egress.dispatcher.deliver;

import io.egress.dispatcher.consume.RecordConsumer;
import io.egress.dispatcher.deliver.Preparation.Verdict;
import io.egress.dispatcher.deliver.PreparationQueries.DocumentHold;
import io.egress.dispatcher.lane.InFlight;
import io.egress.dispatcher.lane.Lanes.Completion;
import io.egress.dispatcher.metrics.DeliveryMeters;
import io.egress.dispatcher.pause.FailingEndpoints;
import io.egress.platform.backend.DatabaseState;
import io.egress.platform.flow.ByteBudget;
import io.egress.webhook.backfill.CatchUps;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.send.Content;
import io.egress.webhook.send.DocumentHead;
import io.egress.webhook.turn.DuePage;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The path of a delivery through its worker: its record is taken ({@link RecordIntake}), the job
 * prepared here and attempted ({@link Attempts}); once the result is durable, the offset is
 * committed. Owned by one event loop.
 */
final class Deliveries implements PreparationQueries.Reader, Attempts.Worker {
  private static final Logger log = LoggerFactory.getLogger(Deliveries.class);

  private static final long NO_TIMER = -1;
  private static final int OUTCOMES_PENDING_MAX = 4_096;

  /**
   * The dependencies of a worker.
   *
   * @param fellBehind called when endpoints of this worker have fallen behind
   * @param bodies limits the bodies of attempts held at a time
   * @param unwrittenMax how long an outcome may wait before no further attempt is begun
   * @param database its state as of the last probe
   */
  record Dependencies(
      Topics topics,
      RecordConsumer consumer,
      Workload workload,
      Pauses pauses,
      Preparation preparation,
      Destinations destinations,
      ByteBudget bodies,
      OutcomeRecorder outcomes,
      OffsetCommits commits,
      CatchUps catchUps,
      Runnable fellBehind,
      DeliveryMeters meters,
      FailingEndpoints failing,
      Duration unwrittenMax,
      Supplier<DatabaseState> database) {}

  private final Vertx vertx;
  private final Clock clock;
  private final Workload workload;
  private final RecordIntake intake;
  private final PreparationQueries queries;
  private final Attempts attempts;
  private final OutcomeRecorder outcomes;
  private final OffsetCommits commits;
  private final DeliveryMeters meters;
  private final long unwrittenNanosMax;
  private final Supplier<DatabaseState> database;
  private long paceTimer = NO_TIMER;
  private long paceTimerNanos;
  private @Nullable Long heldUpSinceNanos;

  Deliveries(Vertx vertx, Clock clock, Dependencies dependencies) {
    this.vertx = vertx;
    this.clock = clock;
    this.workload = dependencies.workload();
    this.intake = new RecordIntake(vertx, clock, dependencies);
    this.queries = new PreparationQueries(vertx, dependencies.preparation(), this);
    this.attempts = new Attempts(vertx, clock, this, dependencies);
    this.outcomes = dependencies.outcomes();
    this.commits = dependencies.commits();
    this.meters = dependencies.meters();
    this.unwrittenNanosMax = dependencies.unwrittenMax().toNanos();
    this.database = dependencies.database();
  }

  void consume(ConsumerRecords<byte[], byte[]> records) {
    intake.consume(records);
  }

  // Prepare: jobs with a slot are looked up in batches, at the last moment

  /** Called whenever there may be something new to do. */
  @Override
  public void proceed() {
    while (queries.hasRoom() && outcomesCanBeWritten()) {
      InFlight<Job> slot = workload.next();
      if (slot == null) {
        break;
      }
      queries.add(slot);
    }
    queries.send();
    awaitPace();
  }

  /**
   * No attempt is begun while outcomes are not written: after a crash it would be repeated. A
   * database that takes no writes may still answer what to send.
   */
  private boolean outcomesCanBeWritten() {
    return database.get() == DatabaseState.WRITABLE
        && outcomes.pending() < OUTCOMES_PENDING_MAX
        && outcomes.waitingNanos() < unwrittenNanosMax;
  }

  /** Wakes the worker when an endpoint's rate limit allows its next attempt. */
  private void awaitPace() {
    Long next = workload.nextPacedNanos();
    if (next == null || (paceTimer != NO_TIMER && paceTimerNanos - next <= 0)) {
      return;
    }
    vertx.cancelTimer(paceTimer);
    paceTimerNanos = next;
    long millis = TimeUnit.NANOSECONDS.toMillis(next - workload.nanoTime()) + 1;
    paceTimer =
        vertx.setTimer(
            Math.max(1, millis),
            _ -> {
              paceTimer = NO_TIMER;
              proceed();
            });
  }

  @Override
  public void prepared(
      InFlight<Job> slot, Verdict verdict, long sentNanos, DocumentHold documents) {
    if (slot.record().isAbandoned()) {
      abandoned(slot);
      documents.release();
      return;
    }
    boolean begun =
        switch (verdict) {
          case Verdict.Attempt(EndpointTarget target, DocumentHead head) -> {
            slot.record().revision(head.revision());
            yield attemptIfAdmitted(slot, target, new Content.Document(head), documents);
          }
          case Verdict.AttemptPage(EndpointTarget target, DuePage page, Content.Page content) -> {
            slot.record().page(page);
            yield attemptIfAdmitted(slot, target, content, documents);
          }
          case Verdict.WithoutAttempt reason -> {
            withoutAttempt(slot, reason, sentNanos);
            yield false;
          }
        };
    if (!begun) {
      documents.release();
    }
  }

  private void withoutAttempt(InFlight<Job> slot, Verdict.WithoutAttempt reason, long sentNanos) {
    switch (reason) {
      case Verdict.Settled(boolean ended) -> settledBefore(slot, ended);
      case Verdict.Skip _ -> skip(slot, sentNanos);
      case Verdict.Canceled _ -> skipAlone(slot, "Delivery of a canceled replay skipped");
      case Verdict.Erased _ -> skipAlone(slot, "Delivery of an erased capture skipped");
      case Verdict.Superseded _ -> {
        workload.release(slot, Completion.ABORTED);
        outcomes.superseded(slot.record());
      }
      case Verdict.Later _ -> queries.addFirst(slot);
      case Verdict.Stale _ -> {
        slot.record().describe(log.atDebug()).log("Nothing is due by this record");
        workload.release(slot, Completion.ABORTED);
        outcomes.done(slot.record());
      }
      case Verdict.Empty(DuePage page) -> {
        workload.release(slot, Completion.ABORTED);
        outcomes.empty(slot.record(), page);
      }
      case Verdict.Foreign(UUID workspaceId) -> {
        slot.record()
            .describe(log.atError())
            .addKeyValue("workspace_id", workspaceId)
            .log("Refused to send a capture to an endpoint of another workspace");
        meters.foreign();
        settledBefore(slot, true);
      }
      case Verdict.Missing _ -> {
        slot.record().describe(log.atError()).log("Cannot deliver a capture that does not exist");
        settledBefore(slot, true);
      }
      case Verdict.Unrenderable _ -> attempts.damaged(slot);
      case Verdict.UnrenderablePage(DuePage page) -> {
        slot.record().page(page);
        attempts.damaged(slot);
      }
    }
  }

  /** Returns whether an attempt was begun. */
  private boolean attemptIfAdmitted(
      InFlight<Job> slot, EndpointTarget target, Content content, DocumentHold documents) {
    Job job = slot.record();
    Instant notBefore = job.delivery().notBefore();
    if (notBefore != null && notBefore.isAfter(clock.instant())) {
      workload.release(slot, Completion.ABORTED);
      outcomes.early(job, notBefore);
      return false;
    }
    job.target(target);
    workload.belongs(job, target.workspaceId());
    if (job.authorized() != null) {
      return attempts.attempt(slot, target, content, documents);
    }
    if (!workload.admit(slot, target.spec().limits())) {
      workload.release(slot, Completion.ABORTED);
      workload.giveBack(job);
      return false;
    }
    return attempts.attempt(slot, target, content, documents);
  }

  private void settledBefore(InFlight<Job> slot, boolean ended) {
    workload.release(slot, Completion.ABORTED);
    outcomes.known(slot.record(), ended);
  }

  /**
   * Jobs read after the query was sent need one of their own: the endpoint may have been resumed
   * since.
   */
  private void skip(InFlight<Job> slot, long sentNanos) {
    skipAlone(slot, "Delivery skipped");
    UUID endpointId = slot.record().delivery().endpointId();
    workload.takeAllOf(endpointId, sentNanos).forEach(outcomes::skipped);
  }

  private void skipAlone(InFlight<Job> slot, String message) {
    slot.record().describe(log.atDebug()).log(message);
    workload.release(slot, Completion.ABORTED);
    outcomes.skipped(slot.record());
  }

  @Override
  public void damaged(InFlight<Job> slot) {
    attempts.damaged(slot);
  }

  @Override
  public void prepareAgain(InFlight<Job> slot) {
    queries.addFirst(slot);
  }

  @Override
  public void abandoned(InFlight<Job> slot) {
    workload.release(slot, Completion.ABORTED);
  }

  /** Called periodically: jobs in a stuck lane make room. */
  void park() {
    intake.park();
  }

  /** Called by the recorder: the job's result is durable, and its record is complete. */
  void finished(Job job) {
    workload.finish(job);
    proceed();
  }

  /** Endpoints of which it is not stored yet that they are behind. */
  int fallingBehind() {
    return intake.fallingBehind();
  }

  /** Nothing more is stored. */
  void giveUp() {
    intake.giveUp();
  }

  // Commit

  /** Called periodically: commits each partition up to its first incomplete record. */
  void commit() {
    commits.commitDue();
  }

  /**
   * How long this worker has waited for PostgreSQL or Kafka, which may answer another worker. 0
   * while the database is read-only: no worker can write then, and the next owner of the partitions
   * would repeat attempts whose outcomes are known here.
   */
  long stalledNanos() {
    return database.get() == DatabaseState.READ_ONLY
        ? 0
        : Collections.max(
            List.of(
                heldUpNanos(),
                queries.waitingNanos(),
                outcomes.waitingNanos(),
                intake.waitingNanos()));
  }

  /** No query is sent to a database that is known to be down, so no query waits. */
  private long heldUpNanos() {
    if (database.get() != DatabaseState.UNAVAILABLE || workload.waiting() == 0) {
      heldUpSinceNanos = null;
      return 0;
    }
    long now = System.nanoTime();
    if (heldUpSinceNanos == null) {
      heldUpSinceNanos = now;
    }
    return now - heldUpSinceNanos;
  }
}
