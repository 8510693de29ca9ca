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
import io.egress.platform.kafka.NewerRecordException;
import io.egress.platform.kafka.TraceHeader;
import io.egress.platform.outage.Outage;
import io.egress.webhook.backfill.CatchUps;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.endpoint.DamagedSecretException;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.UnknownSecretKeyException;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.send.CaptureState;
import io.egress.webhook.send.Content;
import io.egress.webhook.send.Destination;
import io.egress.webhook.send.Destination.Message;
import io.egress.webhook.send.DocumentHead;
import io.egress.webhook.send.Exchanged;
import io.egress.webhook.send.FailureKind;
import io.egress.webhook.send.Outcome;
import io.egress.webhook.send.Sending;
import io.egress.webhook.trace.Tracing;
import io.egress.webhook.turn.DuePage;
import io.opentelemetry.api.trace.Span;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The path of a delivery through its worker, from top to bottom: its record is consumed and
 * admitted to the endpoint's lane; the job is prepared, attempted and settled; then the offset is
 * committed. Owned by one event loop.
 */
final class Deliveries implements PreparationQueries.Reader {
  private static final Logger log = LoggerFactory.getLogger(Deliveries.class);

  private static final String UNREADABLE = "the capture is damaged and cannot be rendered";
  private static final long NO_TIMER = -1;
  private static final int OUTCOMES_PENDING_MAX = 4_096;
  private static final Duration WAIT_FOR_SECRET_KEY = Duration.ofMinutes(1);
  private static final Duration PARKED_BEYOND_SHARE = Duration.ofSeconds(5);

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
  private final RecordConsumer consumer;
  private final String live;
  private final String backfill;
  private final Workload workload;
  private final Pauses pauses;
  private final PreparationQueries queries;
  private final Destinations destinations;
  private final ByteBudget bodies;
  private final OutcomeRecorder outcomes;
  private final OffsetCommits commits;
  private final FallingBehind fallingBehind;
  private final DeliveryMeters meters;
  private final FailingEndpoints failing;
  private final long unwrittenNanosMax;
  private final Supplier<DatabaseState> database;
  private final Tracing tracing;
  private long paceTimer = NO_TIMER;
  private long paceTimerNanos;
  private @Nullable Long heldUpSinceNanos;

  /** Partitions of which it was said that a record is left to others. */
  private final Set<TopicPartition> left = new HashSet<>();

  /** Fails for a single endpoint; a success with another one does not end the outage. */
  private final Outage signing =
      new Outage(log, "Cannot sign for an endpoint; retrying in a minute", "Signing works again");

  Deliveries(Vertx vertx, Clock clock, Dependencies dependencies) {
    this.vertx = vertx;
    this.clock = clock;
    this.consumer = dependencies.consumer();
    this.live = dependencies.topics().deliveries();
    this.backfill = dependencies.topics().backfill();
    this.workload = dependencies.workload();
    this.pauses = dependencies.pauses();
    this.queries = new PreparationQueries(vertx, dependencies.preparation(), this);
    this.destinations = dependencies.destinations();
    this.bodies = dependencies.bodies();
    this.outcomes = dependencies.outcomes();
    this.commits = dependencies.commits();
    this.fallingBehind =
        new FallingBehind(
            vertx,
            dependencies.catchUps(),
            new FallingBehind.Reader(
                outcomes::done,
                job -> outcomes.postponed(job, PARKED_BEYOND_SHARE),
                dependencies.fellBehind()));
    this.meters = dependencies.meters();
    this.failing = dependencies.failing();
    this.unwrittenNanosMax = dependencies.unwrittenMax().toNanos();
    this.database = dependencies.database();
    this.tracing = Tracing.of(vertx);
  }

  // Consume

  /** Takes the records of each partition up to the first one that has to be read again later. */
  void consume(ConsumerRecords<byte[], byte[]> records) {
    Instant now = clock.instant();
    for (TopicPartition partition : records.partitions()) {
      if (workload.ledger(partition).isEmpty()) {
        throw new IllegalStateException("records of an unassigned partition: " + partition);
      }
      pauses.passed(partition, now);
      for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
        if (!take(partition, record, now)) {
          consumer.rewind(partition, record.offset());
          break;
        }
      }
    }
  }

  /** Whether the record need not be read again by this process. */
  private boolean take(
      TopicPartition partition, ConsumerRecord<byte[], byte[]> record, Instant now) {
    Delivery delivery;
    try {
      delivery = Delivery.decode(record.value()).tracedBy(TraceHeader.in(record));
    } catch (NewerRecordException newer) {
      return leave(partition, record, newer);
    } catch (RuntimeException unreadable) {
      skip(partition, record, unreadable);
      return true;
    }
    return admit(partition, record.offset(), delivery, now);
  }

  /** The partition is handed on with it: no later offset is committed here. */
  private boolean leave(
      TopicPartition partition, ConsumerRecord<byte[], byte[]> record, NewerRecordException newer) {
    if (!workload.leave(partition, record.offset())) {
      pauses.untilThereIsRoom(partition);
      return false;
    }
    log.atLevel(left.add(partition) ? Level.WARN : Level.DEBUG)
        .log(
            "Left the record at offset {} of {} to a dispatcher of a newer release: {}",
            record.offset(),
            partition,
            newer.getMessage());
    return true;
  }

  /** An unreadable record would block the others. */
  private void skip(
      TopicPartition partition,
      ConsumerRecord<byte[], byte[]> record,
      RuntimeException unreadable) {
    log.error(
        "Skipped the record at offset {} of {}, which does not describe a delivery: {}",
        record.offset(),
        partition,
        unreadable.toString());
    workload.pass(partition, record.offset());
  }

  // Admit: the record is entered in its partition's ledger, and the job queued in its endpoint's
  // lane

  private boolean admit(TopicPartition partition, long offset, Delivery delivery, Instant now) {
    boolean isDelayed = !partition.topic().equals(live) && !partition.topic().equals(backfill);
    boolean isEarly = isDelayed && delivery.dueAt().isAfter(now);
    if (isEarly) {
      pauses.until(partition, delivery.dueAt());
      return false;
    }
    long dueForMillis = now.toEpochMilli() - delivery.dueAt().toEpochMilli();
    long dueForNanos = TimeUnit.MILLISECONDS.toNanos(Math.max(0, dueForMillis));
    Workload.Taken taken =
        workload.take(
            partition,
            offset,
            delivery,
            dueForNanos,
            !partition.topic().equals(backfill),
            job -> leave(job, PARKED_BEYOND_SHARE));
    if (taken == Workload.Taken.NO_ROOM) {
      pauses.untilThereIsRoom(partition);
      return false;
    }
    return true;
  }

  /**
   * A job that is not to wait in its lane. What fan-out has published is read from the stream
   * later, by which Kafka has few records of an endpoint that is slow or gets much; anything else
   * is parked.
   */
  private void leave(Job job, Duration parked) {
    if (workload.mayLeaveToStream(job)) {
      workload.leaveToStream(job);
      fallingBehind.add(job);
    } else {
      outcomes.postponed(job, parked);
    }
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
        line(log.atDebug(), slot.record()).log("Nothing is due by this record");
        workload.release(slot, Completion.ABORTED);
        outcomes.done(slot.record());
      }
      case Verdict.Empty(DuePage page) -> {
        workload.release(slot, Completion.ABORTED);
        outcomes.empty(slot.record(), page);
      }
      case Verdict.Foreign(UUID workspaceId) -> {
        line(log.atError(), slot.record())
            .addKeyValue("workspace_id", workspaceId)
            .log("Refused to send a capture to an endpoint of another workspace");
        meters.foreign();
        settledBefore(slot, true);
      }
      case Verdict.Missing _ -> {
        line(log.atError(), slot.record()).log("Cannot deliver a capture that does not exist");
        settledBefore(slot, true);
      }
      case Verdict.Unrenderable _ -> damaged(slot);
      case Verdict.UnrenderablePage(DuePage page) -> {
        slot.record().page(page);
        damaged(slot);
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
      return attempt(slot, target, content, documents);
    }
    if (!workload.admit(slot, target.spec().limits())) {
      workload.release(slot, Completion.ABORTED);
      workload.giveBack(job);
      return false;
    }
    return attempt(slot, target, content, documents);
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
    line(log.atDebug(), slot.record()).log(message);
    workload.release(slot, Completion.ABORTED);
    outcomes.skipped(slot.record());
  }

  @Override
  public void damaged(InFlight<Job> slot) {
    Outcome failed =
        new Outcome.Failed(
            FailureKind.DOCUMENT, null, UNREADABLE, Duration.ZERO, Exchanged.NOTHING);
    Tracing.end(tracing.attempt(slot.record().delivery(), null), failed);
    settle(slot, clock.instant(), failed);
  }

  @Override
  public void abandoned(InFlight<Job> slot) {
    workload.release(slot, Completion.ABORTED);
  }

  // Attempt

  private boolean attempt(
      InFlight<Job> slot, EndpointTarget target, Content content, DocumentHold documents) {
    Destination destination;
    try {
      destination = destinations.of(target);
    } catch (UnknownSecretKeyException | DamagedSecretException unusable) {
      signing.failed(unusable, Map.of("endpoint_id", target.id()));
      workload.release(slot, Completion.ABORTED);
      outcomes.postponed(slot.record(), WAIT_FOR_SECRET_KEY);
      return false;
    }
    bodies
        .take(content.length())
        .onSuccess(body -> send(slot, destination, content, new Memory(documents, body)))
        .onFailure(_ -> {
          settle(slot, clock.instant(), new Outcome.Aborted("no memory", Duration.ZERO));
          documents.release();
          proceed();
        });
    return true;
  }

  /** What an attempt holds until it has an outcome. */
  private record Memory(DocumentHold documents, ByteBudget.Share body) {
    void release() {
      body.giveBack();
      documents.release();
    }
  }

  private void send(InFlight<Job> slot, Destination destination, Content content, Memory memory) {
    memory.documents().bodyHasMemory();
    Job job = slot.record();
    Instant startedAt = clock.instant();
    if (job.isAbandoned()) {
      settle(slot, startedAt, new Outcome.Aborted("abandoned", Duration.ZERO));
      memory.release();
      proceed();
      return;
    }
    Delivery delivery = job.delivery();
    if (job.authorized() == null) {
      workload.sent(slot);
    }
    Span span = tracing.attempt(delivery, destination.url());
    Sending sending =
        destination.send(
            new Message(
                delivery.event(), delivery.id(), sent(job), startedAt, tracing.toReceiver(span)),
            content,
            job.authorized());
    job.sending(sending);
    sending
        .outcome()
        .onSuccess(outcome -> {
          Tracing.end(span, outcome);
          settle(slot, startedAt, outcome);
          memory.release();
          proceed();
        });
  }

  private static CaptureState sent(Job job) {
    Delivery delivery = job.delivery();
    DuePage page = job.page();
    if (page == null) {
      return new CaptureState(delivery.captureId(), delivery.position(), job.revision());
    }
    return new CaptureState(Delivery.NO_CAPTURE, page.endPosition(), null);
  }

  // Settle: the slot is freed at once, and the job finished once its result is durable

  /** Failures of receivers are normal operation, and logged at DEBUG only. */
  private void settle(InFlight<Job> slot, Instant startedAt, Outcome outcome) {
    switch (outcome) {
      case Outcome.Delivered delivered -> delivered(slot, startedAt, delivered);
      case Outcome.Failed failed -> failed(slot, startedAt, failed);
      case Outcome.Authorized authorized -> prepareAgain(slot, authorized);
      case Outcome.Aborted aborted -> aborted(slot, aborted);
    }
  }

  /** The job keeps its slot, and its endpoint is still measured. */
  private void prepareAgain(InFlight<Job> slot, Outcome.Authorized authorized) {
    slot.record().authorized(authorized);
    queries.addFirst(slot);
  }

  /** Recorded even if the partition was abandoned: the next owner uses it. */
  private void delivered(InFlight<Job> slot, Instant startedAt, Outcome.Delivered delivered) {
    Job job = slot.record();
    if (log.isDebugEnabled()) {
      outcomeLine(job, delivered).addKeyValue("status", delivered.status()).log("Delivered");
    }
    meters.delivered(job.delivery(), startedAt, delivered);
    workload.release(slot, Completion.DELIVERED);
    EndpointTarget target = job.target();
    if (target != null) {
      failing.delivered(target);
    }
    outcomes.delivered(job, startedAt, delivered);
  }

  private void failed(InFlight<Job> slot, Instant startedAt, Outcome.Failed failed) {
    Job job = slot.record();
    if (log.isDebugEnabled()) {
      outcomeLine(job, failed)
          .addKeyValue("outcome", failed.kind().word())
          .addKeyValue("status", failed.status())
          .log("Attempt failed");
    }
    meters.failed(job.delivery(), startedAt, failed);
    workload.release(slot, failed.kind().isAnswer() ? Completion.REFUSED : Completion.UNANSWERED);
    EndpointTarget target = job.target();
    if (target != null && failed.kind().isOfEndpoint()) {
      failing.failed(target, startedAt, failed);
    }
    if (!job.isAbandoned()) {
      outcomes.failed(job, startedAt, failed);
    }
  }

  private void aborted(InFlight<Job> slot, Outcome.Aborted aborted) {
    Job job = slot.record();
    if (log.isDebugEnabled()) {
      outcomeLine(job, aborted).log("Attempt aborted: {}", aborted.reason());
    }
    meters.aborted();
    workload.release(slot, Completion.ABORTED);
    if (!job.isAbandoned()) {
      workload.giveBack(job);
    }
  }

  private static LoggingEventBuilder outcomeLine(Job job, Outcome outcome) {
    return line(log.atDebug(), job).addKeyValue("duration_ms", outcome.duration().toMillis());
  }

  /** Called periodically: jobs in a stuck lane make room. */
  void park() {
    workload.takeParkable().forEach(parkable -> leave(parkable.record(), parkable.delay()));
  }

  /** Called by the recorder: the job's result is durable, and its record is complete. */
  void finished(Job job) {
    workload.finish(job);
    proceed();
  }

  /** Endpoints of which it is not stored yet that they are behind. */
  int fallingBehind() {
    return fallingBehind.pending();
  }

  /** Nothing more is stored. */
  void giveUp() {
    fallingBehind.giveUp();
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
                fallingBehind.waitingNanos()));
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

  private static LoggingEventBuilder line(LoggingEventBuilder line, Job job) {
    Delivery delivery = job.delivery();
    return line.addKeyValue("delivery_id", delivery.id())
        .addKeyValue("endpoint_id", delivery.endpointId())
        .addKeyValue("capture_id", delivery.captureId())
        .addKeyValue("attempt", delivery.attempt());
  }
}
