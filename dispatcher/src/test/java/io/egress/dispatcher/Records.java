package io.egress.dispatcher;

import static org.awaitility.Awaitility.await;

import io.egress.webhook.delivery.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A fleet's topics as they are. */
public final class Records {

  private Records() {}

  /** All deliveries in a topic. */
  public static List<Delivery> of(Fleet fleet, String topic) {
    return raw(fleet, topic).stream().map(record -> Delivery.decode(record.value())).toList();
  }

  /** As a broker does with what is older than the topic's retention. */
  public static void delete(Fleet fleet, String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(fleet);
        Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap(fleet)))) {
      Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
      consumer
          .endOffsets(partitions(consumer, topic))
          .forEach((partition, end) -> all.put(partition, RecordsToDelete.beforeOffset(end)));
      admin.deleteRecords(all).all().get();
    } catch (ExecutionException | InterruptedException failure) {
      throw new IllegalStateException(failure);
    }
  }

  /** Puts every record of a topic there once more. */
  public static void repeat(Fleet fleet, String topic) {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                fleet.settings.kafka().bootstrap(),
                "key.serializer",
                ByteArraySerializer.class.getName(),
                "value.serializer",
                ByteArraySerializer.class.getName()))) {
      for (ConsumerRecord<byte[], byte[]> record : raw(fleet, topic)) {
        var _ = producer.send(new ProducerRecord<>(topic, record.key(), record.value()));
      }
    }
  }

  /** Until whatever stands in the undelayed topics has been read and committed. */
  public static void awaitAllRead(Fleet fleet) {
    Map<TopicPartition, Long> ends = new HashMap<>();
    for (String topic : List.of(fleet.topics.capturesProcessed(), fleet.topics.deliveries())) {
      try (KafkaConsumer<byte[], byte[]> consumer = consumer(fleet)) {
        ends.putAll(consumer.endOffsets(partitions(consumer, topic)));
      }
    }
    ends.values().removeIf(end -> end == 0);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap(fleet)))) {
      await()
          .until(() -> {
            Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
            for (String group : List.of("fanout", "dispatcher")) {
              committed.putAll(
                  admin
                      .listConsumerGroupOffsets(fleet.topics.prefix() + group)
                      .partitionsToOffsetAndMetadata()
                      .get());
            }
            return ends.entrySet().stream()
                .allMatch(end ->
                    committed.containsKey(end.getKey())
                        && committed.get(end.getKey()).offset() >= end.getValue());
          });
    }
  }

  private static List<ConsumerRecord<byte[], byte[]>> raw(Fleet fleet, String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(fleet)) {
      Set<TopicPartition> partitions = partitions(consumer, topic);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long missing =
          consumer.endOffsets(partitions).values().stream().mapToLong(Long::longValue).sum();
      List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
      while (records.size() < missing) {
        consumer.poll(Duration.ofSeconds(1)).forEach(records::add);
      }
      return records;
    }
  }

  private static KafkaConsumer<byte[], byte[]> consumer(Fleet fleet) {
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers",
            bootstrap(fleet),
            "key.deserializer",
            ByteArrayDeserializer.class.getName(),
            "value.deserializer",
            ByteArrayDeserializer.class.getName()));
  }

  private static String bootstrap(Fleet fleet) {
    return fleet.settings.kafka().bootstrap();
  }

  private static Set<TopicPartition> partitions(
      KafkaConsumer<byte[], byte[]> consumer, String topic) {
    return consumer.partitionsFor(topic).stream()
        .map(partition -> new TopicPartition(topic, partition.partition()))
        .collect(Collectors.toSet());
  }
}
