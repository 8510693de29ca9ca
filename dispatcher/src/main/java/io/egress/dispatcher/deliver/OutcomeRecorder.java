package io.egress.dispatcher.deliver;

import io.egress.dispatcher.durable.DurableBatches;
import io.egress.dispatcher.durable.DurableBatches.Medium;
import io.egress.dispatcher.lane.LaneSettings;
import io.egress.dispatcher.metrics.DeliveryMeters;
import io.egress.platform.environment.Durations;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.RetrySchedule;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogEntry;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.send.Outcome;
import io.egress.webhook.send.RetryAfter;
import io.egress.webhook.turn.DuePage;
import io.egress.webhook.turn.TurnEnds;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records an outcome in the order that loses nothing: first Kafka acknowledges the record of the
 * next attempt, or of exhaustion; then the delivery log is written; then the job is finished. A
 * crash in between repeats at most one attempt.
 */
final class OutcomeRecorder {
  /** The database cannot read it; nothing is known of what is in it. */
  private static final Duration UNREADABLE_PAGE_WAITS = Duration.ofMinutes(1);

  private static final Duration RECORDS_APART = Duration.ZERO;

  /** Only the commit of its record waits for an outcome to be written. */
  private static final Duration OUTCOMES_APART = Duration.ofMillis(15);

  private static final Duration PARKED_MAX = LaneSettings.defaults().parking().delayMax();

  private final Topics topics;
  private final RetrySchedule schedule;
  private final Clock clock;
  private final DurableBatches<Message> records;
  private final DurableBatches<LogEntry> deliveryLog;
  private final TurnRecorder turns;
  private final Consumer<Job> finished;
  private final Consumer<Delivery> ended;
  private final Consumer<Delivery> toBeRetried;
  private final Exhaustion exhausted;
  private final DeliveryMeters meters;

  /**
   * @param finished called with each job whose outcome is durable
   * @param ended called with each finished delivery
   * @param toBeRetried called with each delivery of which an attempt failed, and another follows
   * @param exhausted called with the last attempt of an exhausted delivery
   * @param meters count durable outcomes
   */
  record Ends(
      Consumer<Job> finished,
      Consumer<Delivery> ended,
      Consumer<Delivery> toBeRetried,
      Exhaustion exhausted,
      DeliveryMeters meters) {}

  /** Hears of the last attempt of an exhausted delivery. */
  interface Exhaustion {
    void recorded(Job job, Instant startedAt, Outcome.Failed failed);
  }

  OutcomeRecorder(
      Topics topics,
      RetrySchedule schedule,
      Clock clock,
      DurableBatches<Message> records,
      DurableBatches<LogEntry> deliveryLog,
      TurnRecorder turns,
      Ends ends) {
    this.topics = topics;
    this.schedule = schedule;
    this.clock = clock;
    this.records = records;
    this.deliveryLog = deliveryLog;
    this.turns = turns;
    this.finished = ends.finished();
    this.ended = ends.ended();
    this.toBeRetried = ends.toBeRetried();
    this.exhausted = ends.exhausted();
    this.meters = ends.meters();
  }

  static OutcomeRecorder of(Vertx vertx, DeliveryVerticle.Dependencies shared, Ends ends) {
    Topics topics = shared.topics();
    RetrySchedule schedule = shared.settings().dispatcher().retrySchedule();
    DeliveryLog log = shared.deliveryLog();
    DurableBatches<Message> records =
        new DurableBatches<>(
            vertx,
            new Medium<>(
                "delivery records",
                message -> message,
                shared.publisher()::publish,
                RECORDS_APART));
    return new OutcomeRecorder(
        topics,
        schedule,
        shared.clock(),
        records,
        new DurableBatches<>(
            vertx,
            new Medium<>("outcomes", entry -> entry.delivery().id(), log::write, OUTCOMES_APART)),
        new TurnRecorder(
            vertx,
            topics,
            schedule,
            shared.clock(),
            new TurnEnds(shared.pool(), shared.days())::write,
            records,
            ends.finished()),
        ends);
  }

  /** Outcomes that are not durable. */
  int pending() {
    return recordsPending() + outcomesPending();
  }

  int recordsPending() {
    return records.pending();
  }

  int outcomesPending() {
    return deliveryLog.pending() + turns.pending();
  }

  /** Age of the oldest of them. */
  long waitingNanos() {
    return Math.max(
        turns.waitingNanos(), Math.max(records.waitingNanos(), deliveryLog.waitingNanos()));
  }

  /** Drops outcomes that are not durable; their attempts are repeated. */
  void giveUp() {
    records.giveUp();
    deliveryLog.giveUp();
    turns.giveUp();
  }

  void delivered(Job job, Instant startedAt, Outcome.Delivered outcome) {
    DuePage page = job.page();
    if (page != null) {
      meters.ended(DeliveryState.DELIVERED);
      turns.accepted(job, page, MadeAttempt.of(startedAt, outcome));
      return;
    }
    end(
        job,
        DeliveryState.DELIVERED,
        MadeAttempt.of(startedAt, outcome).withRevision(job.revision()),
        () -> {});
  }

  void failed(Job job, Instant startedAt, Outcome.Failed outcome) {
    MadeAttempt attempt = MadeAttempt.of(startedAt, outcome).withRevision(job.revision());
    Delivery delivery = job.delivery();
    DuePage page = job.page();
    if (page != null) {
      turns.failed(job, page, attempt, outcome);
      return;
    }
    if (delivery.isPage()) {
      postponed(job, UNREADABLE_PAGE_WAITS);
      return;
    }
    if (schedule.isLast(delivery.attempt())) {
      records.add(
          delivery.toRecord(topics.exhausted()),
          () ->
              end(
                  job,
                  DeliveryState.EXHAUSTED,
                  attempt,
                  () -> exhausted.recorded(job, startedAt, outcome)));
      return;
    }
    Duration delay = schedule.delayAfter(delivery.attempt());
    Instant now = clock.instant();
    Duration earliest =
        RetryAfter.of(outcome, now)
            .map(asked -> schedule.delayAfter(delivery.attempt(), asked))
            .orElse(delay);
    Delivery next = delivery.next(now.plus(delay), now.plus(earliest));
    records.add(
        next.toRecord(topics.retry(Durations.format(delay))),
        () -> {
          meters.toBeRetried(delivery.attempt());
          deliveryLog.add(
              new LogEntry(delivery, DeliveryState.PENDING, attempt, next.attemptAt()),
              () -> {
                finished.accept(job);
                toBeRetried.accept(delivery);
              });
        });
  }

  /** The outcome is durable already. */
  void known(Job job, boolean hasEnded) {
    finished.accept(job);
    (hasEnded ? ended : toBeRetried).accept(job.delivery());
  }

  /** Nothing is left to do for its record: another one stands for what it stood for. */
  void done(Job job) {
    finished.accept(job);
  }

  /** The page that is due has no captures. */
  void empty(Job job, DuePage page) {
    turns.empty(job, page);
  }

  void skipped(Job job) {
    if (job.delivery().isPage()) {
      turns.paused(job);
    } else {
      end(job, DeliveryState.SKIPPED, null, () -> {});
    }
  }

  void superseded(Job job) {
    end(job, DeliveryState.SUPERSEDED, null, () -> {});
  }

  /**
   * The receiver wants the attempt later than its record was due. Each topic has records of one
   * delay, so that none holds up those behind it: what is left is waited for in such delays, and
   * the last part parked.
   */
  void early(Job job, Instant notBefore) {
    Instant now = clock.instant();
    Duration left = Duration.between(now, notBefore);
    Duration delay = schedule.longestUpTo(left).orElse(Duration.ZERO);
    if (delay.compareTo(PARKED_MAX) <= 0) {
      postponed(job, left.compareTo(PARKED_MAX) < 0 ? left : PARKED_MAX);
      return;
    }
    Delivery later = job.delivery().postponed(now.plus(delay));
    records.add(later.toRecord(topics.retry(Durations.format(delay))), () -> finished.accept(job));
  }

  /** Repeats the same attempt later, without counting it. */
  void postponed(Job job, Duration delay) {
    Delivery later = job.delivery().postponed(clock.instant().plus(delay));
    if (job.delivery().isPage()) {
      turns.postponed(job, later);
      return;
    }
    records.add(
        later.toRecord(topics.parked()),
        () -> {
          meters.parked();
          finished.accept(job);
        });
  }

  private void end(Job job, DeliveryState state, @Nullable MadeAttempt attempt, Runnable recorded) {
    deliveryLog.add(
        new LogEntry(job.delivery(), state, attempt, null),
        () -> {
          meters.ended(state);
          finished.accept(job);
          ended.accept(job.delivery());
          recorded.run();
        });
  }
}
