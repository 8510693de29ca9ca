package io.egress.api.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.transcript.stream.ProcessedCapture;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The topic of captures, read without the service's own code. */
final class PublishedCaptures {
  private PublishedCaptures() {}

  /** In no order. */
  static List<ProcessedCapture> all(Service service) {
    String topic = service.environment.get("EGRESS_TOPIC_PREFIX") + "captures.processed";
    String bootstrap = service.environment.get("EGRESS_KAFKA_BOOTSTRAP");
    try (KafkaConsumer<String, byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap),
            new StringDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(partition -> new TopicPartition(topic, partition.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      List<ProcessedCapture> captures = new ArrayList<>();
      while (partitions.stream()
          .anyMatch(partition -> consumer.position(partition) < ends.getOrDefault(partition, 0L))) {
        consumer
            .poll(Duration.ofMillis(100))
            .forEach(record -> {
              ProcessedCapture capture =
                  ProcessedCapture.decode(Buffer.buffer(record.value()), null);
              assertThat(record.key()).isEqualTo(capture.workspaceId().toString());
              captures.add(capture);
            });
      }
      return captures;
    }
  }
}
