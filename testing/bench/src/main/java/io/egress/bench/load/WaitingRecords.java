package io.egress.bench.load;

import io.egress.platform.environment.Durations;
import io.egress.platform.kafka.KafkaClients;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.platform.kafka.NeededTopic;
import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.platform.kafka.TopicAdmin;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.queue.Topics;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Failed deliveries waiting for their next attempt, written directly to the retry topics. None is
 * due during the measurement.
 */
final class WaitingRecords {
  private static final int BATCH = 5_000;

  private final Vertx vertx;
  private final KafkaSettings kafka;
  private final List<Duration> delays;

  /** {@code delays} are those of the schedule; none is shorter than the measurement. */
  WaitingRecords(Vertx vertx, KafkaSettings kafka, List<Duration> delays) {
    this.vertx = vertx;
    this.kafka = kafka;
    this.delays = List.copyOf(delays);
  }

  /** {@code count} in all, spread over endpoints and delays. */
  void write(List<PushEndpoints.Made> endpoints, int count) {
    Topics topics = new Topics(kafka.topicPrefix());
    List<NeededTopic> retry =
        delays.stream()
            .map(delay -> NeededTopic.copartitioned(topics.retry(Durations.format(delay)), delay))
            .toList();
    RunningProcess.await(TopicAdmin.ensure(vertx, kafka, retry));
    RecordPublisher publisher =
        new RecordPublisher(vertx, KafkaClients.producer(vertx, kafka), Clock.systemUTC());
    try {
      for (int from = 0; from < count; from += BATCH) {
        List<Message> batch = new ArrayList<>(BATCH);
        for (int i = from; i < Math.min(count, from + BATCH); i++) {
          int delay = i % delays.size();
          Delivery waiting = waiting(endpoints.get(i % endpoints.size()).id(), i, delay);
          batch.add(
              new Message(
                  retry.get(delay).name(), waiting.endpointId().toString(), waiting.encode()));
        }
        RunningProcess.await(publisher.publish(batch));
      }
    } finally {
      RunningProcess.await(publisher.close());
    }
  }

  private Delivery waiting(UUID endpoint, int position, int delay) {
    UUID capture = UUID.randomUUID();
    Instant now = Instant.now();
    return Delivery.first(
            DeliveryId.of(endpoint, capture),
            endpoint,
            capture,
            position + 1L,
            Delivery.Origin.LIVE,
            now)
        .next(now.plus(delays.get(delay)));
  }
}
