package io.egress.bench.load;

import io.egress.platform.kafka.ConnectionProperties;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.queue.Topics;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * When captures passed each stage between the hook and the receiver. All clocks are this machine's;
 * brokers have milliseconds, half of which is added.
 */
final class StageTimes {
  /** An aged database has millions of other attempts. */
  private static final String IN_DATABASE =
      """
      select a.delivery_id, s.entered_at, a.started_at
      from attempts a join deliveries d on d.id = a.delivery_id and d.day = a.day
        join stream s on s.capture_id = d.capture_id
      where a.delivery_id = any($1) and a.attempt = 1 and a.day >= (now() at time zone 'UTC')::date - 1
      """;

  /** In the order in which a capture passes them. */
  private static final List<String> STAGES =
      List.of(
          "hook called to its transaction",
          "transaction to captures.processed",
          "captures.processed to deliveries",
          "deliveries to the attempt",
          "the attempt to the receiver");

  private final Pool pool;
  private final KafkaSettings kafka;

  StageTimes(Pool pool, KafkaSettings kafka) {
    this.pool = pool;
    this.kafka = kafka;
  }

  /** Keyed by stage, in their order. */
  Map<String, Latencies> read(Map<UUID, Long> startNanos, Map<UUID, Long> arrivedNanos) {
    long epoch = micros(Instant.now()) - System.nanoTime() / 1_000;
    Map<UUID, Long> processed = new HashMap<>();
    Map<UUID, long[]> queued = new HashMap<>();
    Topics topics = new Topics(kafka.topicPrefix());
    records(
        topics.capturesProcessed(),
        (value, at) ->
            processed.put(ProcessedCapture.decode(Buffer.buffer(value), null).captureId(), at));
    records(
        topics.deliveries(),
        (value, at) -> {
          Delivery delivery = Delivery.decode(value);
          Long before = processed.get(delivery.captureId());
          if (before != null) {
            queued.putIfAbsent(delivery.id(), new long[] {before, at});
          }
        });
    List<Latencies> latencies = STAGES.stream().map(_ -> new Latencies()).toList();
    Tuple ids = Tuple.tuple().addArrayOfUUID(startNanos.keySet().toArray(UUID[]::new));
    for (Row row : RunningProcess.await(pool.preparedQuery(IN_DATABASE).execute(ids))) {
      UUID id = row.getUUID("delivery_id");
      Long start = startNanos.get(id);
      Long arrived = arrivedNanos.get(id);
      long[] records = queued.get(id);
      if (start != null && arrived != null && records != null) {
        long[] times = {
          epoch + start / 1_000,
          micros(row.getOffsetDateTime("entered_at").toInstant()),
          records[0] * 1_000 + 500,
          records[1] * 1_000 + 500,
          micros(row.getOffsetDateTime("started_at").toInstant()),
          epoch + arrived / 1_000
        };
        for (int i = 0; i < latencies.size(); i++) {
          latencies.get(i).add((times[i + 1] - times[i]) * 1_000);
        }
      }
    }
    Map<String, Latencies> stages = new LinkedHashMap<>();
    for (int i = 0; i < latencies.size(); i++) {
      stages.put(STAGES.get(i), latencies.get(i));
    }
    return stages;
  }

  private static long micros(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }

  /** All that the topic has at this moment. */
  private void records(String topic, BiConsumer<byte[], Long> reader) {
    Map<String, Object> properties = new HashMap<>(ConnectionProperties.of(kafka));
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties, bytes, bytes)) {
      List<TopicPartition> partitions = new ArrayList<>();
      consumer
          .partitionsFor(topic)
          .forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        consumer
            .poll(Duration.ofMillis(200))
            .forEach(record -> reader.accept(record.value(), record.timestamp()));
      }
    }
  }
}
