package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.durable.DurableBatches;
import io.egress.dispatcher.durable.DurableBatches.Medium;
import io.egress.dispatcher.ledger.LedgerBook.Entry;
import io.egress.dispatcher.metrics.DeliveryMeters;
import io.egress.platform.environment.Durations;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.platform.metrics.Metrics;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.RetrySchedule;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogEntry;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.send.Exchanged;
import io.egress.webhook.send.FailureKind;
import io.egress.webhook.send.Outcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class OutcomeRecorderTest {
  private static final Instant NOW = Instant.parse("2026-11-22T19:00:00.123Z");
  private static final RetrySchedule SCHEDULE = RetrySchedule.parse("1m,5m,15m,1h,6h,24h");
  private static final Outcome.Failed FAILED =
      new Outcome.Failed(
          FailureKind.STATUS, 503, "answered 503", Duration.ofMillis(7), Exchanged.NOTHING);
  private static final Outcome.Delivered DELIVERED =
      new Outcome.Delivered(204, Duration.ofMillis(7), Exchanged.NOTHING);

  private final Topics topics = new Topics("test.");
  private final List<Message> published = new ArrayList<>();
  private final List<LogEntry> logged = new ArrayList<>();
  private final List<Job> finished = new ArrayList<>();
  private final List<Delivery> ended = new ArrayList<>();
  private final List<Delivery> exhausted = new ArrayList<>();
  private Future<Void> acknowledged = Future.succeededFuture();
  private Future<Void> written = Future.succeededFuture();
  private OutcomeRecorder recorder;

  @BeforeEach
  void create(Vertx vertx) {
    Clock clock = Clock.fixed(NOW, ZoneOffset.UTC);
    DurableBatches<Message> records =
        new DurableBatches<>(
            vertx, new Medium<>("records", message -> message, this::publish, Duration.ZERO));
    recorder =
        new OutcomeRecorder(
            topics,
            SCHEDULE,
            clock,
            records,
            new DurableBatches<>(
                vertx,
                new Medium<>("entries", entry -> entry.delivery(), this::write, Duration.ZERO)),
            new TurnRecorder(
                vertx,
                topics,
                SCHEDULE,
                clock,
                _ -> Future.succeededFuture(List.of()),
                records,
                finished::add),
            new OutcomeRecorder.Ends(
                finished::add,
                ended::add,
                _ -> {},
                (job, _, _) -> exhausted.add(job.delivery()),
                new DeliveryMeters(new Metrics(), SCHEDULE)));
  }

  @Test
  void schedulesEachAttemptByTheScheduleAndExhaustsTheLast() {
    Delivery delivery = delivery();
    for (Duration delay : SCHEDULE.delays()) {
      recorder.failed(job(delivery), NOW, FAILED);

      Message message = published.remove(0);
      assertThat(message.topic()).isEqualTo(topics.retry(Durations.format(delay)));
      assertThat(message.key()).isEqualTo(delivery.endpointId().toString());
      Delivery next = Delivery.decode(message.value().getBytes());
      assertThat(next).isEqualTo(delivery.next(NOW.plus(delay)));
      LogEntry entry = logged.remove(0);
      assertThat(entry.state()).isEqualTo(DeliveryState.PENDING);
      assertThat(entry.nextAttemptAt()).isEqualTo(NOW.plus(delay));
      delivery = next;
    }
    assertThat(ended).isEmpty();
    assertThat(exhausted).isEmpty();

    recorder.failed(job(delivery), NOW, FAILED);

    assertThat(exhausted).containsExactly(delivery);

    assertThat(delivery.attempt()).isEqualTo(7);
    assertThat(published).extracting(Message::topic).containsExactly(topics.exhausted());
    assertThat(logged).extracting(LogEntry::state).containsExactly(DeliveryState.EXHAUSTED);
    assertThat(ended).containsExactly(delivery);
    assertThat(finished).hasSize(7);
  }

  @Test
  void writesAFailureAfterTheNextAttemptIsAcknowledgedAndFinishesAfterBoth() {
    Promise<Void> acknowledging = Promise.promise();
    Promise<Void> writing = Promise.promise();
    acknowledged = acknowledging.future();
    written = writing.future();

    recorder.failed(job(delivery()), NOW, FAILED);
    assertThat(published).hasSize(1);
    assertThat(logged).isEmpty();

    acknowledging.complete();
    assertThat(logged).hasSize(1);
    assertThat(finished).isEmpty();

    writing.complete();
    assertThat(finished).hasSize(1);
    assertThat(recorder.pending()).isZero();
  }

  @Test
  void finishesADeliveryOnceItIsWritten() {
    Promise<Void> writing = Promise.promise();
    written = writing.future();
    Job job = job(delivery());

    recorder.delivered(job, NOW, DELIVERED);
    assertThat(logged).extracting(LogEntry::state).containsExactly(DeliveryState.DELIVERED);
    assertThat(finished).isEmpty();
    assertThat(ended).isEmpty();

    writing.complete();
    assertThat(finished).containsExactly(job);
    assertThat(ended).containsExactly(job.delivery());
    assertThat(published).isEmpty();
  }

  @Test
  void repeatsTheSameAttemptAfterParking() {
    Job job = job(delivery());
    recorder.postponed(job, Duration.ofSeconds(5));

    assertThat(published).extracting(Message::topic).containsExactly(topics.parked());
    assertThat(Delivery.decode(published.get(0).value().getBytes()))
        .isEqualTo(job.delivery().postponed(NOW.plusSeconds(5)));
    assertThat(logged).isEmpty();
    assertThat(finished).containsExactly(job);
    assertThat(ended).isEmpty();
  }

  private Future<Void> publish(List<Message> messages) {
    published.addAll(messages);
    return acknowledged;
  }

  private Future<Void> write(List<LogEntry> entries) {
    logged.addAll(entries);
    return written;
  }

  private static Delivery delivery() {
    return Delivery.first(
        UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID(), 1, Delivery.Origin.LIVE, NOW);
  }

  private static Job job(Delivery delivery) {
    TopicPartition partition = new TopicPartition("deliveries", 0);
    return new Job(delivery, new Entry<>(partition, 1, 0), 0);
  }
}
