package io.egress.dispatcher.deliver;

import io.egress.dispatcher.deliver.PreparationQueries.DocumentHold;
import io.egress.dispatcher.lane.InFlight;
import io.egress.dispatcher.lane.Lanes.Completion;
import io.egress.dispatcher.metrics.DeliveryMeters;
import io.egress.dispatcher.pause.FailingEndpoints;
import io.egress.platform.flow.ByteBudget;
import io.egress.platform.outage.Outage;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.endpoint.DamagedSecretException;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.UnknownSecretKeyException;
import io.egress.webhook.send.CaptureState;
import io.egress.webhook.send.Content;
import io.egress.webhook.send.Destination;
import io.egress.webhook.send.Destination.Message;
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
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Makes the attempts of prepared jobs, and settles them: the slot is freed at once, and the job
 * finished once its result is durable. Owned by one event loop.
 */
final class Attempts {
  private static final Logger log = LoggerFactory.getLogger(Attempts.class);

  private static final String UNREADABLE = "the capture is damaged and cannot be rendered";
  private static final Duration WAIT_FOR_SECRET_KEY = Duration.ofMinutes(1);
  private static final int BODIES_WAITING_MAX = 100_000;

  /** Whose jobs these are. */
  interface Worker {
    /** There may be something new to do. */
    void proceed();

    /** The job keeps its slot, and its endpoint is still measured. */
    void prepareAgain(InFlight<Job> slot);
  }

  private final Clock clock;
  private final Worker worker;
  private final Workload workload;
  private final Destinations destinations;
  private final ByteBudget bodies;
  private final OutcomeRecorder outcomes;
  private final DeliveryMeters meters;
  private final FailingEndpoints failing;
  private final Tracing tracing;

  /** Fails for a single endpoint; a success with another one does not end the outage. */
  private final Outage signing =
      new Outage(log, "Cannot sign for an endpoint; retrying in a minute", "Signing works again");

  Attempts(
      Vertx vertx,
      DeliveryVerticle.Dependencies shared,
      WorkerSettings bounds,
      Workload workload,
      OutcomeRecorder outcomes,
      Worker worker) {
    this.clock = shared.clock();
    this.worker = worker;
    this.workload = workload;
    this.destinations =
        new Destinations(
            shared.secrets(), shared.settings().push().allowHttpEndpoints(), shared.sender());
    this.bodies = new ByteBudget(vertx, bounds.envelopeBytesMax(), BODIES_WAITING_MAX);
    this.outcomes = outcomes;
    this.meters = shared.meters();
    this.failing = shared.failing();
    this.tracing = Tracing.of(vertx);
  }

  /** Returns whether an attempt was begun; if so, {@code documents} is released after it. */
  boolean attempt(
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
        .take(destination.length(content))
        .onSuccess(body -> send(slot, destination, content, new Memory(documents, body)))
        .onFailure(_ -> {
          settle(slot, clock.instant(), new Outcome.Aborted("no memory", Duration.ZERO));
          documents.release();
          worker.proceed();
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
      worker.proceed();
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
          worker.proceed();
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

  /** The job's document cannot be read, which counts as an attempt. */
  void damaged(InFlight<Job> slot) {
    Outcome failed =
        new Outcome.Failed(
            FailureKind.DOCUMENT, null, UNREADABLE, Duration.ZERO, Exchanged.NOTHING);
    Tracing.end(tracing.attempt(slot.record().delivery(), null), failed);
    settle(slot, clock.instant(), failed);
  }

  /** Failures of receivers are normal operation, and logged at DEBUG only. */
  private void settle(InFlight<Job> slot, Instant startedAt, Outcome outcome) {
    switch (outcome) {
      case Outcome.Delivered delivered -> delivered(slot, startedAt, delivered);
      case Outcome.Failed failed -> failed(slot, startedAt, failed);
      case Outcome.Authorized authorized -> {
        slot.record().authorized(authorized);
        worker.prepareAgain(slot);
      }
      case Outcome.Aborted aborted -> aborted(slot, aborted);
    }
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
    return job.describe(log.atDebug()).addKeyValue("duration_ms", outcome.duration().toMillis());
  }
}
