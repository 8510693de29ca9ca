package io.egress.dispatcher.deliver;

import static java.util.Objects.requireNonNull;

import io.egress.database.DamagedRows;
import io.egress.dispatcher.lane.Completion;
import io.egress.dispatcher.lane.InFlight;
import io.egress.dispatcher.send.FailureKind;
import io.egress.endpoint.DamagedSecretException;
import io.egress.endpoint.EndpointTarget;
import io.egress.endpoint.UnknownSecretKeyException;
import io.egress.outage.Outage;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the work going: takes jobs from their lanes as long as slots are free, prepares many at a
 * time, and sees to what is to be done about each. Owned by one event loop.
 */
final class Dispatch {
  private static final Logger log = LoggerFactory.getLogger(Dispatch.class);

  private static final String UNREADABLE = "the capture is damaged and cannot be rendered";
  private static final int QUESTION_JOBS_MAX = 128;
  private static final int QUESTIONS_MAX = 2;

  /** A second question beside one under way must be worth its costs. */
  private static final int SECOND_QUESTION_JOBS_MIN = 64;

  private static final int TO_PREPARE_MAX = 512;
  private static final int OUTCOMES_PENDING_MAX = 4_096;
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);
  private static final Duration WAIT_FOR_SECRET_KEY = Duration.ofMinutes(1);

  private final Vertx vertx;
  private final Workload workload;
  private final Preparation preparation;
  private final Receivers receivers;
  private final Attempts attempts;
  private final Aftermath aftermath;
  private final Deque<InFlight<Job>> toPrepare = new ArrayDeque<>();
  private int questions;
  private final Outage preparing =
      new Outage(
          log,
          "deliveries cannot be prepared for now, will try on",
          "deliveries are being prepared again");

  /** One endpoint's fault, which another's success does not end. */
  private final Outage signing =
      new Outage(log, "nothing can be signed for an endpoint", "all can be signed again");

  Dispatch(
      Vertx vertx,
      Workload workload,
      Preparation preparation,
      Receivers receivers,
      Attempts attempts,
      Aftermath aftermath) {
    this.vertx = requireNonNull(vertx, "vertx is null");
    this.workload = requireNonNull(workload, "workload is null");
    this.preparation = requireNonNull(preparation, "preparation is null");
    this.receivers = requireNonNull(receivers, "receivers is null");
    this.attempts = requireNonNull(attempts, "attempts is null");
    this.aftermath = requireNonNull(aftermath, "aftermath is null");
  }

  /** To be called whenever there may be something new to do. */
  void proceed() {
    while (toPrepare.size() < TO_PREPARE_MAX && aftermath.pending() < OUTCOMES_PENDING_MAX) {
      InFlight<Job> slot = workload.next();
      if (slot == null) {
        break;
      }
      toPrepare.add(slot);
    }
    while (questions < QUESTIONS_MAX
        && toPrepare.size() >= (questions == 0 ? 1 : SECOND_QUESTION_JOBS_MIN)) {
      prepare();
    }
  }

  private void prepare() {
    List<InFlight<Job>> batch = new ArrayList<>();
    while (batch.size() < QUESTION_JOBS_MAX && !toPrepare.isEmpty()) {
      batch.add(toPrepare.remove());
    }
    questions++;
    ask(batch);
  }

  /** The jobs keep their slots until the database answers: there is no use in taking others. */
  private void ask(List<InFlight<Job>> batch) {
    preparation
        .ask(batch.stream().map(slot -> slot.record().delivery()).toList())
        .onSuccess(
            answers -> {
              answered();
              batch.forEach(slot -> proceedWith(slot, answers));
              proceed();
            })
        .onFailure(
            failure -> {
              if (DamagedRows.isCauseOf(failure)) {
                isolateDamage(batch);
              } else {
                preparing.failed(failure);
                vertx.setTimer(PAUSE_AFTER_FAILURE.toMillis(), timer -> askAgain(batch));
              }
            });
  }

  /** A row that PostgreSQL cannot read fails the question of its own delivery only. */
  private void isolateDamage(List<InFlight<Job>> batch) {
    if (batch.size() == 1) {
      answered();
      attempts.fail(batch.get(0), FailureKind.DOCUMENT, UNREADABLE, this::proceed);
      return;
    }
    questions++;
    int half = batch.size() / 2;
    ask(batch.subList(0, half));
    ask(batch.subList(half, batch.size()));
  }

  private void askAgain(List<InFlight<Job>> batch) {
    List<InFlight<Job>> wanted = new ArrayList<>();
    for (InFlight<Job> slot : batch) {
      if (slot.record().isAbandoned()) {
        workload.release(slot, Completion.ABORTED);
      } else {
        wanted.add(slot);
      }
    }
    ask(wanted);
  }

  private void proceedWith(InFlight<Job> slot, Preparation.Answers answers) {
    Job job = slot.record();
    if (job.isAbandoned()) {
      workload.release(slot, Completion.ABORTED);
      return;
    }
    Preparation.Verdict verdict = answers.on(job.delivery());
    if (verdict instanceof Preparation.Verdict.Attempt attempt) {
      attempt(slot, attempt);
    } else if (verdict instanceof Preparation.Verdict.Later) {
      toPrepare.addFirst(slot);
    } else if (verdict instanceof Preparation.Verdict.Skip) {
      DeliveryLine.about(log.atDebug(), job.delivery()).log("skipped");
      workload.release(slot, Completion.ABORTED);
      aftermath.skipped(job);
      workload.takeAllOf(job.delivery().endpointId()).forEach(aftermath::skipped);
    } else if (verdict instanceof Preparation.Verdict.Unrenderable) {
      attempts.fail(slot, FailureKind.DOCUMENT, UNREADABLE, this::proceed);
    } else if (verdict instanceof Preparation.Verdict.Settled settled) {
      workload.release(slot, Completion.ABORTED);
      aftermath.known(job, settled.ended());
    } else {
      DeliveryLine.about(log.atError(), job.delivery())
          .log("the capture does not exist and cannot be delivered");
      workload.release(slot, Completion.ABORTED);
      aftermath.known(job, true);
    }
  }

  private void attempt(InFlight<Job> slot, Preparation.Verdict.Attempt attempt) {
    EndpointTarget target = attempt.target();
    Receivers.Receiver receiver;
    try {
      receiver = receivers.of(target);
    } catch (UnknownSecretKeyException | DamagedSecretException unusable) {
      signing.failed(unusable, Map.of("endpoint_id", target.id()));
      workload.release(slot, Completion.ABORTED);
      aftermath.postponed(slot.record(), WAIT_FOR_SECRET_KEY);
      return;
    }
    attempts.make(slot, receiver, attempt.head(), this::proceed);
  }

  private void answered() {
    questions--;
    preparing.worked();
  }
}
