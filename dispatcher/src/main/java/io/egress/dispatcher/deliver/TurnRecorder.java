package io.egress.dispatcher.deliver;

import io.egress.dispatcher.durable.DurableBatches;
import io.egress.dispatcher.durable.DurableBatches.Medium;
import io.egress.platform.environment.Durations;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.RetrySchedule;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.send.FailureKind;
import io.egress.webhook.send.Outcome;
import io.egress.webhook.send.RetryAfter;
import io.egress.webhook.turn.DuePage;
import io.egress.webhook.turn.DuePages;
import io.egress.webhook.turn.TurnEnd;
import io.egress.webhook.turn.TurnEnds;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Records what turns have come to: first their row is written, which says what is due next; then
 * the record is published that stands for that; then the job is finished. If the process dies
 * before that, {@link DuePages#overdue} finds the row. Owned by one event loop.
 */
final class TurnRecorder {
  /** The longest time between two attempts: a page is never given up. */
  private static final Duration DELAY_MAX = Duration.ofHours(1);

  /** Attempts of one page are logged with those of its day. */
  private static final Duration LOGGED_TOGETHER_MAX = Duration.ofDays(1);

  /** Refusals that say nothing about what is in the page; 409 is for one that leaves a gap. */
  private static final Set<Integer> NOT_OF_CONTENT =
      Set.of(401, 403, 404, 405, 407, 408, 409, 425, 429);

  private static final int TOO_LARGE = 413;

  private final Topics topics;
  private final RetrySchedule schedule;
  private final Clock clock;
  private final Function<List<TurnEnd>, Future<List<Delivery>>> turnEnds;
  private final DurableBatches<Ending> ends;
  private final DurableBatches<Message> records;
  private final Consumer<Job> finished;

  /** {@code turnEnds} is {@link TurnEnds#write}. */
  TurnRecorder(
      Vertx vertx,
      Topics topics,
      RetrySchedule schedule,
      Clock clock,
      Function<List<TurnEnd>, Future<List<Delivery>>> turnEnds,
      DurableBatches<Message> records,
      Consumer<Job> finished) {
    this.topics = topics;
    this.schedule = schedule;
    this.clock = clock;
    this.turnEnds = turnEnds;
    this.records = records;
    this.finished = finished;
    this.ends =
        new DurableBatches<>(
            vertx,
            new Medium<>(
                "what is due to endpoints that are sent pages",
                ending -> ending.end.turn().endpointId(),
                this::write,
                Duration.ZERO));
  }

  /** A turn's end, and the record of the page that follows it. */
  private static final class Ending {
    private final TurnEnd end;
    private @Nullable Delivery next;

    private Ending(TurnEnd end) {
      this.end = end;
    }
  }

  int pending() {
    return ends.pending();
  }

  long waitingNanos() {
    return ends.waitingNanos();
  }

  void giveUp() {
    ends.giveUp();
  }

  void accepted(Job job, DuePage page, MadeAttempt attempt) {
    goOn(job, new TurnEnd.Accepted(job.delivery(), page, attempt));
  }

  void empty(Job job, DuePage page) {
    goOn(job, new TurnEnd.Empty(job.delivery(), page.lookedUpTo()));
  }

  void paused(Job job) {
    goOn(job, new TurnEnd.Paused(job.delivery()));
  }

  void postponed(Job job, Delivery later) {
    write(job, new TurnEnd.Postponed(job.delivery(), later), topics.parked(), later);
  }

  /**
   * A page that was refused is halved until the receiver accepts it, or refuses a capture by
   * itself: at its second refusal, because the first may have had another reason, and at once if it
   * is too large.
   */
  void failed(Job job, DuePage page, MadeAttempt attempt, Outcome.Failed outcome) {
    Delivery turn = job.delivery();
    Instant now = clock.instant();
    int count = page.entries().size();
    boolean isAtOnce = isTooLarge(outcome) || outcome.kind() == FailureKind.DOCUMENT;
    if (count > 1 && isOfContent(outcome) && (turn.attempt() > 1 || isAtOnce)) {
      Delivery half = next(turn, now, now, now);
      write(
          job,
          new TurnEnd.Failed(turn, page, attempt, half, count / 2, null),
          topics.deliveries(),
          half);
      return;
    }
    UUID held = count == 1 && isOfContent(outcome) ? page.entries().getFirst().captureId() : null;
    Duration delay = delay(turn, outcome, now);
    Duration stage = schedule.longestUpTo(delay).orElse(delay);
    Delivery next = next(turn, now.plus(stage), now.plus(delay), now);
    write(
        job,
        new TurnEnd.Failed(turn, page, attempt, next, page.size(), held),
        topics.retry(Durations.format(stage)),
        next);
  }

  private static boolean isTooLarge(Outcome.Failed outcome) {
    return Integer.valueOf(TOO_LARGE).equals(outcome.status());
  }

  private static boolean isOfContent(Outcome.Failed outcome) {
    Integer status = outcome.status();
    return outcome.kind() == FailureKind.DOCUMENT
        || (outcome.kind() == FailureKind.STATUS
            && status != null
            && status >= 400
            && status < 500
            && !NOT_OF_CONTENT.contains(status));
  }

  /**
   * The last one of the schedule is repeated, but not more seldom than each hour if the schedule
   * has anything as short.
   */
  private Duration delay(Delivery turn, Outcome.Failed outcome, Instant now) {
    int attempt = Math.min(turn.attempt(), schedule.attemptsMax() - 1);
    Duration delay =
        RetryAfter.of(outcome, now)
            .map(asked -> schedule.delayAfter(attempt, asked))
            .orElseGet(() -> schedule.delayAfter(attempt));
    boolean isCut = delay.compareTo(DELAY_MAX) > 0 && schedule.longestUpTo(DELAY_MAX).isPresent();
    return schedule.isLast(turn.attempt()) && isCut ? DELAY_MAX : delay;
  }

  /** Attempts are counted up to the last of the schedule, and then within each day. */
  private Delivery next(Delivery turn, Instant due, Instant earliest, Instant now) {
    boolean isOld = turn.owedAt().plus(LOGGED_TOGETHER_MAX).isBefore(now);
    Delivery next = turn.next(due, earliest);
    return isOld ? next.renewed(now, schedule.attemptsMax()) : next;
  }

  /** The record of what follows, if anything does, is known once the end is written. */
  private void goOn(Job job, TurnEnd end) {
    Ending ending = new Ending(end);
    ends.add(
        ending,
        () -> {
          if (ending.next == null) {
            finished.accept(job);
          } else {
            publish(job, topics.deliveries(), ending.next);
          }
        });
  }

  private void write(Job job, TurnEnd end, String topic, Delivery next) {
    ends.add(new Ending(end), () -> publish(job, topic, next));
  }

  private void publish(Job job, String topic, Delivery next) {
    records.add(next.toRecord(topic), () -> finished.accept(job));
  }

  private Future<Void> write(List<Ending> batch) {
    return turnEnds
        .apply(batch.stream().map(ending -> ending.end).toList())
        .onSuccess(records -> {
          Map<UUID, Delivery> byEndpoint = new HashMap<>();
          records.forEach(record -> byEndpoint.put(record.endpointId(), record));
          batch.forEach(ending -> ending.next = byEndpoint.get(ending.end.turn().endpointId()));
        })
        .mapEmpty();
  }
}
