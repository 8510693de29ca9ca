package io.egress.dispatcher.reconcile;

import io.egress.platform.kafka.RecordPublisher;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.queue.Topics;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Publishes due deliveries of which Kafka may have lost the record. If it has not, a delivery has
 * two records, and the second one finds the outcome of the first.
 *
 * <p>They go to the topic of history, which dispatchers read only while little else is waiting.
 */
public final class Republisher {
  /** Transactions wait for it. */
  private static final Duration PUBLISH_MAX = Duration.ofSeconds(3);

  private final RecordPublisher publisher;
  private final String topic;
  private final Counter published;

  /** {@code published} counts deliveries. */
  public Republisher(RecordPublisher publisher, Topics topics, Counter published) {
    this.publisher = publisher;
    this.topic = topics.backfill();
    this.published = published;
  }

  void publish(List<Delivery> deliveries) {
    publisher
        .publish(deliveries.stream().map(each -> each.toRecord(topic)).toList())
        .timeout(PUBLISH_MAX.toMillis(), TimeUnit.MILLISECONDS)
        .await();
    published.increment(deliveries.size());
  }
}
