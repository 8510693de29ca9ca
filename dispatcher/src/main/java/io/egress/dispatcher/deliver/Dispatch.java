package io.egress.dispatcher.deliver;

import static java.util.Objects.requireNonNull;

import io.egress.database.DamagedRows;
import io.egress.dispatcher.document.Head;
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
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes jobs from their lanes while slots are free, prepares many at a time, and starts or settles
 * each. Owned by one event loop.
 */
final class Dispatch {
  private static final Logger log = LoggerFactory.getLogger(Dispatch.class);

  private static final String UNREADABLE = "the capture is damaged and cannot be rendered";
  private static final int QUESTION_JOBS_MAX = 128;
  private static final int QUESTIONS_MAX = 2;

  /** A second query in parallel must be worth its costs. */
  private static final int SECOND_QUESTION_JOBS_MIN = 64;

  private static final int TO_PREPARE_MAX = 512;
  private static final int OUTCOMES_PENDING_MAX = 4_096;
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);
  private static final Duration WAIT_FOR_SECRET_KEY = Duration.ofMinutes(1);

  /** A query about the jobs of several slots. */
  private static final class Question {
    private final List<InFlight<Job>> batch;
    private final long askedNanos = System.nanoTime();
    private boolean answered;

    private Question(List<InFlight<Job>> batch) {
      this.batch = batch;
    }
  }

  private final Vertx vertx;
  private final Workload workload;
  private final Preparation preparation;
  private final ReceiverCache receivers;
  private final Attempts attempts;
  private final OutcomeRecorder outcomes;
  private final Deque<InFlight<Job>> toPrepare = new ArrayDeque<>();
  private final List<Question> questions = new ArrayList<>(QUESTIONS_MAX);
  private final Outage preparing =
      new Outage(
          log,
          "Cannot read documents and endpoints for deliveries; retrying",
          "Documents and endpoints are read again");

  /** Fails for one endpoint; success with another one does not end it. */
  private final Outage signing =
      new Outage(log, "Cannot sign for an endpoint; retrying in a minute", "Signing works again");

  Dispatch(
      Vertx vertx,
      Workload workload,
      Preparation preparation,
      ReceiverCache receivers,
      Attempts attempts,
      OutcomeRecorder outcomes) {
    this.vertx = requireNonNull(vertx, "vertx is null");
    this.workload = requireNonNull(workload, "workload is null");
    this.preparation = requireNonNull(preparation, "preparation is null");
    this.receivers = requireNonNull(receivers, "receivers is null");
    this.attempts = requireNonNull(attempts, "attempts is null");
    this.outcomes = requireNonNull(outcomes, "outcomes is null");
  }

  /** Called whenever there may be something new to do. */
  void proceed() {
    while (toPrepare.size() < TO_PREPARE_MAX && outcomes.pending() < OUTCOMES_PENDING_MAX) {
      InFlight<Job> slot = workload.next();
      if (slot == null) {
        break;
      }
      toPrepare.add(slot);
    }
    while (questions.size() < QUESTIONS_MAX
        && toPrepare.size() >= (questions.isEmpty() ? 1 : SECOND_QUESTION_JOBS_MIN)) {
      prepare();
    }
  }

  /** Time since the oldest unanswered query was sent; 0 without one. */
  long waitingNanos() {
    long now = System.nanoTime();
    return questions.stream()
        .filter(question -> !question.answered)
        .mapToLong(question -> now - question.askedNanos)
        .max()
        .orElse(0);
  }

  private void prepare() {
    List<InFlight<Job>> batch = new ArrayList<>();
    while (batch.size() < QUESTION_JOBS_MAX && !toPrepare.isEmpty()) {
      batch.add(toPrepare.remove());
    }
    askNew(batch);
  }

  private void askNew(List<InFlight<Job>> batch) {
    Question question = new Question(batch);
    questions.add(question);
    ask(question);
  }

  /**
   * The jobs keep their slots until the database answers, because other jobs would have to wait for
   * it, too.
   */
  private void ask(Question question) {
    preparation
        .ask(
            question.batch.stream().map(slot -> slot.record().delivery()).toList(),
            () -> question.answered = true)
        .onSuccess(
            answers -> {
              preparing.worked();
              questions.remove(question);
              proceedWith(question, answers);
              proceed();
            })
        .onFailure(
            failure -> {
              if (DamagedRows.isCauseOf(failure)) {
                isolateDamage(question);
                return;
              }
              question.answered = false;
              preparing.failed(failure);
              vertx.setTimer(PAUSE_AFTER_FAILURE.toMillis(), timer -> askAgain(question));
            });
  }

  /** Splits a query that failed because of a damaged row until the row's own delivery is found. */
  private void isolateDamage(Question question) {
    questions.remove(question);
    List<InFlight<Job>> batch = question.batch;
    if (batch.size() == 1) {
      attempts.fail(batch.get(0), FailureKind.DOCUMENT, UNREADABLE, this::proceed);
      return;
    }
    int half = batch.size() / 2;
    askNew(new ArrayList<>(batch.subList(0, half)));
    askNew(new ArrayList<>(batch.subList(half, batch.size())));
  }

  private void askAgain(Question question) {
    question.batch.removeIf(
        slot -> {
          boolean abandoned = slot.record().isAbandoned();
          if (abandoned) {
            workload.release(slot, Completion.ABORTED);
          }
          return abandoned;
        });
    if (question.batch.isEmpty()) {
      questions.remove(question);
      proceed();
    } else {
      ask(question);
    }
  }

  /** The memory of the documents is released by the last attempt that needs it. */
  private void proceedWith(Question question, Preparation.Answers answers) {
    AtomicInteger users = new AtomicInteger(question.batch.size());
    Runnable done =
        () -> {
          if (users.decrementAndGet() == 0) {
            answers.memory().giveBack();
          }
        };
    for (InFlight<Job> slot : question.batch) {
      if (!proceedWith(slot, question, answers, done)) {
        done.run();
      }
    }
  }

  /** Whether an attempt was started, which runs {@code done} later. */
  private boolean proceedWith(
      InFlight<Job> slot, Question question, Preparation.Answers answers, Runnable done) {
    Job job = slot.record();
    if (job.isAbandoned()) {
      workload.release(slot, Completion.ABORTED);
      return false;
    }
    return answers.on(job.delivery()).match(new Decisions(slot, question, answers.large(), done));
  }

  /** Whether an attempt was started. */
  private final class Decisions implements Preparation.Verdict.Cases<Boolean> {
    private final InFlight<Job> slot;
    private final Question question;
    private final boolean large;
    private final Runnable done;

    private Decisions(InFlight<Job> slot, Question question, boolean large, Runnable done) {
      this.slot = slot;
      this.question = question;
      this.large = large;
      this.done = done;
    }

    @Override
    public Boolean attempt(EndpointTarget target, Head head) {
      return Dispatch.this.attempt(slot, target, head, large, done);
    }

    @Override
    public Boolean settled(boolean ended) {
      workload.release(slot, Completion.ABORTED);
      outcomes.known(slot.record(), ended);
      return false;
    }

    @Override
    public Boolean skip() {
      Dispatch.this.skip(slot, question);
      return false;
    }

    @Override
    public Boolean later() {
      toPrepare.addFirst(slot);
      return false;
    }

    @Override
    public Boolean missing() {
      DeliveryLine.about(log.atError(), slot.record().delivery())
          .log("Cannot deliver a capture that does not exist");
      return settled(true);
    }

    @Override
    public Boolean unrenderable() {
      attempts.fail(slot, FailureKind.DOCUMENT, UNREADABLE, Dispatch.this::proceed);
      return false;
    }
  }

  /**
   * Jobs that were read after the query was sent need a query of their own: the endpoint may have
   * been resumed since.
   */
  private void skip(InFlight<Job> slot, Question question) {
    Job job = slot.record();
    DeliveryLine.about(log.atDebug(), job.delivery()).log("Delivery skipped");
    workload.release(slot, Completion.ABORTED);
    outcomes.skipped(job);
    workload.takeAllOf(job.delivery().endpointId(), question.askedNanos).forEach(outcomes::skipped);
  }

  private boolean attempt(
      InFlight<Job> slot, EndpointTarget target, Head head, boolean large, Runnable done) {
    ReceiverCache.Receiver receiver;
    try {
      receiver = receivers.of(target);
    } catch (UnknownSecretKeyException | DamagedSecretException unusable) {
      signing.failed(unusable, Map.of("endpoint_id", target.id()));
      workload.release(slot, Completion.ABORTED);
      outcomes.postponed(slot.record(), WAIT_FOR_SECRET_KEY);
      return false;
    }
    Runnable begun = large ? () -> {} : done;
    Runnable ended = large ? done : () -> {};
    attempts.make(
        slot,
        receiver,
        head,
        begun,
        () -> {
          ended.run();
          proceed();
        });
    return true;
  }
}
