package io.egress.dispatcher.backfill;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.delivery.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The backfill topic, read without the service's own code. */
final class Published implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(20);

  private final KafkaConsumer<String, byte[]> consumer;
  private final List<Delivery> all = new ArrayList<>();

  Published(String bootstrap, String topic) {
    consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap),
            new StringDeserializer(),
            new ByteArrayDeserializer());
    List<TopicPartition> partitions =
        IntStream.range(0, BackfillWorld.PARTITIONS)
            .mapToObj(partition -> new TopicPartition(topic, partition))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /** What came since the last call of any of these. */
  List<Delivery> unseen() {
    List<Delivery> news = new ArrayList<>();
    for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
      Delivery delivery = Delivery.decode(record.value());
      assertThat(record.key()).isEqualTo(delivery.endpointId().toString());
      assertThat(record.partition()).isEqualTo(BackfillWorld.partition(delivery.endpointId()));
      news.add(delivery);
    }
    all.addAll(news);
    return news;
  }

  List<Delivery> all() {
    unseen();
    return List.copyOf(all);
  }

  List<Delivery> to(UUID endpoint) {
    return all().stream().filter(each -> each.endpointId().equals(endpoint)).toList();
  }

  List<UUID> capturesTo(UUID endpoint) {
    return to(endpoint).stream().map(Delivery::captureId).toList();
  }

  @Override
  public void close() {
    consumer.close();
  }
}
