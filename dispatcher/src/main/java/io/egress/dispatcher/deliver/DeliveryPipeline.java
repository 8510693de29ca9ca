package io.egress.dispatcher.deliver;

import io.egress.dispatcher.backfill.BackfillPublisher;
import io.egress.dispatcher.consume.RecordConsumer;
import io.egress.dispatcher.deliver.Preparation.Verdict;
import io.egress.dispatcher.deliver.PreparationQueries.DocumentHold;
import io.egress.dispatcher.lane.InFlight;
import io.egress.dispatcher.lane.Lanes.Completion;
import io.egress.dispatcher.metrics.DeliveryMeters;
import io.egress.dispatcher.pause.FailingEndpoints;
import io.egress.platform.backend.DatabaseState;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.webhook.backfill.CatchUps;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.send.Content;
import io.egress.webhook.send.DocumentHead;
import io.egress.webhook.send.Outcome;
import io.egress.webhook.turn.DuePage;
import io.vertx.core.Vertx;
import java.time.Clock;
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
 * The path of a delivery through its worker. Its record is taken by the {@link RecordIntake} and
 * waits in the {@link Workload}; the job is prepared here, attempted by the {@link Attempts} and
 * recorded by the {@link OutcomeRecorder}; then it is finished, and its offset can be committed.
 * Owned by one event loop.
 */
final class DeliveryPipeline implements PreparationQueries.Reader, Attempts.Worker {
  private static final Logger log = LoggerFactory.getLogger(DeliveryPipeline.class);

  private static final long NO_TIMER = -1;
  private static final int OUTCOMES_PENDING_MAX = 4_096;

  /** Less than what it takes until the partitions of a process that stands still are another's. */
  private static final long LATE_NANOS = KafkaSettings.SESSION_TIMEOUT.dividedBy(2).toNanos();

  /** A partition is read only while its ledger has room for this many records. */
  private static final int ROOM_MIN = 1_000;

  private final Vertx vertx;
  private final Clock clock;
  private final Workload workload;
  private final Pauses pauses;
  private final RecordIntake intake;
  private final PreparationQueries queries;
  private final Attempts attempts;
  private final OutcomeRecorder outcomes;
  private final Handover handover;
  private final BackfillPublisher backfills;
  private final DeliveryMeters meters;
  private final FailingEndpoints failing;
  private final long unwrittenNanosMax;
  private final Supplier<DatabaseState> database;
  private long paceTimer = NO_TIMER;
  private long paceTimerNanos;
  private @Nullable Long heldUpSinceNanos;

  /** {@code backfills} hears of what it has published, and of endpoints that fall behind. */
  DeliveryPipeline(
      Vertx vertx,
      DeliveryVerticle.Dependencies shared,
      WorkerSettings bounds,
      RecordConsumer consumer,
      BackfillPublisher backfills) {
    this.vertx = vertx;
    this.clock = shared.clock();
    this.meters = shared.meters();
    this.failing = shared.failing();
    this.backfills = backfills;
    this.unwrittenNanosMax = bounds.unwrittenMax().toNanos();
    this.database = shared.supervision().database();
    Topics topics = shared.topics();
    workload =
        new Workload(bounds.lanes(), bounds.spanMax(), System::nanoTime, topics.deliveries());
    pauses = new Pauses(workload, topics, Math.min(ROOM_MIN, bounds.spanMax()));
    handover = new Handover(vertx, workload);
    outcomes =
        OutcomeRecorder.of(
            vertx,
            shared,
            new OutcomeRecorder.Ends(
                this::finished, this::ended, this::toBeRetried, this::exhausted, meters));
    intake =
        new RecordIntake(
            clock,
            consumer,
            topics,
            workload,
            pauses,
            outcomes,
            new FallingBehind(vertx, new CatchUps(shared.pool()), outcomes, backfills::fellBehind));
    queries = new PreparationQueries(vertx, Preparation.of(vertx, shared, bounds), this);
    attempts = new Attempts(vertx, shared, bounds, workload, outcomes, this);
  }

  Workload workload() {
    return workload;
  }

  Pauses pauses() {
    return pauses;
  }

  Handover handover() {
    return handover;
  }

  OutcomeRecorder outcomes() {
    return outcomes;
  }

  // Take

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
    if (isLate(slot.record(), sentNanos)) {
      slot.record().preparedLate();
      queries.addFirst(slot);
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

  /**
   * A process that stood still knows neither that its partitions are another's by now nor what that
   * one has sent, so what it has read is read again. Once: a slow database would be asked for ever.
   */
  private static boolean isLate(Job job, long sentNanos) {
    return !job.wasPreparedLate() && System.nanoTime() - sentNanos > LATE_NANOS;
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

  /** Endpoints of which it is not stored yet that they are behind. */
  int fallingBehind() {
    return intake.fallingBehind();
  }

  // Finish: what has become of a job is durable

  private void finished(Job job) {
    workload.finish(job);
    proceed();
    handover.check();
  }

  private void ended(Delivery delivery) {
    backfills.settled(delivery);
  }

  /** A catch-up does not wait for retries: an endpoint may refuse some of what it is sent. */
  private void toBeRetried(Delivery delivery) {
    if (delivery.origin() == Delivery.Origin.LIVE) {
      backfills.settled(delivery);
    }
  }

  private void exhausted(Job job, Instant startedAt, Outcome.Failed failed) {
    EndpointTarget target = job.target();
    if (target != null && failed.kind().isOfEndpoint()) {
      failing.exhausted(target, startedAt, failed);
    }
  }

  /** Nothing more is stored; the attempts of outcomes that were not are repeated. */
  void giveUp() {
    outcomes.giveUp();
    intake.giveUp();
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
