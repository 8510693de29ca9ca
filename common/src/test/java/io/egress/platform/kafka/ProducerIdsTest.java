package io.egress.platform.kafka;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.settings.Settings;
import io.egress.testing.BrokerCluster;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.kafka.client.producer.KafkaProducer;
import io.vertx.kafka.client.producer.KafkaProducerRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster that has lost everything gives out the same producer ids again. A broker would take the
 * records of two producers with one id for repetitions of each other, acknowledge them, and drop
 * them.
 */
@Tag("full")
class ProducerIdsTest {
  private static final String TOPIC = "records";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(20, TimeUnit.SECONDS);
  }

  @Test
  void noAcknowledgedRecordIsDroppedAfterAClusterHasLostItsData(@TempDir Path folder)
      throws Exception {
    try (BrokerCluster cluster = BrokerCluster.start(folder, 1, Map.of())) {
      KafkaProducer<String, Buffer> before = producer(cluster);
      createTopic(cluster);
      send(before, "lost");

      cluster.kill(0);
      cluster.wipe(0);
      cluster.start(0);
      createTopic(cluster);
      KafkaProducer<String, Buffer> after = producer(cluster);
      for (int i = 0; i < 3; i++) {
        send(after, "after-" + i);
        send(before, "before-" + i);
      }

      assertThat(records(cluster))
          .containsExactly("after-0", "after-1", "after-2", "before-0", "before-1", "before-2");
    }
  }

  private KafkaProducer<String, Buffer> producer(BrokerCluster cluster) {
    return KafkaClients.producer(
        vertx,
        Settings.from(
                Map.of(
                    "EGRESS_KAFKA_BOOTSTRAP", cluster.bootstrap(),
                    "EGRESS_DATABASE_URL", "postgresql://u:p@127.0.0.1:1/db",
                    "EGRESS_INTERNAL_TOKEN", "a-token-of-the-internal-api"))
            .kafka());
  }

  private static void send(KafkaProducer<String, Buffer> producer, String value) {
    await()
        .ignoreExceptions()
        .until(() -> {
          producer
              .send(KafkaProducerRecord.create(TOPIC, null, Buffer.buffer(value), 0))
              .await(20, TimeUnit.SECONDS);
          return true;
        });
  }

  private static void createTopic(BrokerCluster cluster) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
    }
  }

  /** Without repetitions, which are harmless. */
  private static Set<String> records(BrokerCluster cluster) {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", cluster.bootstrap());
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(PARTITION));
      consumer.seekToBeginning(List.of(PARTITION));
      long end = requireNonNull(consumer.endOffsets(List.of(PARTITION)).get(PARTITION));
      Set<String> found = new TreeSet<>();
      while (consumer.position(PARTITION) < end) {
        consumer.poll(Duration.ofMillis(200)).forEach(record -> found.add(record.value()));
      }
      return found;
    }
  }
}
