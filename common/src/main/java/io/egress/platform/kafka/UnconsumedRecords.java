package io.egress.platform.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads the records of a key that a consumer group has not committed yet, without joining the
 * group.
 */
public final class UnconsumedRecords {
  private static final int RECORDS_MAX = 1_000_000;
  private static final Duration TIME_MAX = Duration.ofSeconds(10);
  private static final int API_TIMEOUT_MS = 10_000;
  private static final Duration POLL_TIMEOUT = Duration.ofMillis(200);

  private UnconsumedRecords() {}

  /**
   * Passes {@code reader} the value of every uncommitted record that is in the key's partition of
   * the topics at the time of the call, including records of other keys. Returns whether these were
   * all: the number of records and the time are limited. {@code reader} is called on a thread of
   * {@code executor}, before completion.
   */
  public static Future<Boolean> read(
      WorkerExecutor executor,
      KafkaSettings settings,
      String group,
      Predicate<String> topics,
      String key,
      Consumer<byte[]> reader) {
    return executor.executeBlocking(
        () -> {
          try (KafkaConsumer<byte[], byte[]> consumer =
              new KafkaConsumer<>(properties(settings, group))) {
            return read(consumer, partitions(consumer, topics, key), reader);
          }
        },
        false);
  }

  private static Set<TopicPartition> partitions(
      KafkaConsumer<byte[], byte[]> consumer, Predicate<String> topics, String key) {
    return consumer.listTopics().entrySet().stream()
        .filter(topic -> topics.test(topic.getKey()))
        .map(topic ->
            new TopicPartition(
                topic.getKey(),
                BuiltInPartitioner.partitionForKey(key.getBytes(UTF_8), topic.getValue().size())))
        .collect(Collectors.toSet());
  }

  /** Reads committed offsets first, so that all uncommitted records lie before the end offsets. */
  private static boolean read(
      KafkaConsumer<byte[], byte[]> consumer,
      Set<TopicPartition> partitions,
      Consumer<byte[]> reader) {
    Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    consumer.assign(partitions);
    for (TopicPartition partition : partitions) {
      OffsetAndMetadata next = committed.get(partition);
      if (next == null) {
        consumer.seekToBeginning(List.of(partition));
      } else {
        consumer.seek(partition, next.offset());
      }
    }
    long giveUpNanos = System.nanoTime() + TIME_MAX.toNanos();
    int records = 0;
    while (isBefore(consumer, ends)) {
      if (records > RECORDS_MAX || System.nanoTime() - giveUpNanos > 0) {
        return false;
      }
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL_TIMEOUT)) {
        reader.accept(record.value());
        records++;
      }
    }
    return true;
  }

  private static boolean isBefore(
      KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .anyMatch(end -> consumer.position(end.getKey()) < end.getValue());
  }

  private static Map<String, Object> properties(KafkaSettings settings, String group) {
    Map<String, Object> properties = new HashMap<>(ConnectionProperties.of(settings));
    properties.put("group.id", group);
    properties.put("default.api.timeout.ms", API_TIMEOUT_MS);
    properties.put("request.timeout.ms", API_TIMEOUT_MS);
    properties.put("enable.auto.commit", "false");
    properties.put("auto.offset.reset", "earliest");
    properties.put("allow.auto.create.topics", "false");
    properties.put("key.deserializer", ByteArrayDeserializer.class.getName());
    properties.put("value.deserializer", ByteArrayDeserializer.class.getName());
    return properties;
  }
}
