package io.egress.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.embedded.DatabaseAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A row or record left in a server, to be found later. */
public final class Traces {
  private static final String TOPIC = "traces";
  private static final int LIMIT_SECONDS = 20;

  private Traces() {}

  public static void leaveRow(String databaseUrl, String text) throws SQLException {
    try (Connection connection = DatabaseAddress.parse(databaseUrl).connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE IF NOT EXISTS traces (text text)");
      statement.execute("INSERT INTO traces VALUES ('" + text + "')");
    }
  }

  public static List<String> rows(String databaseUrl) throws SQLException {
    return query(databaseUrl, "SELECT text FROM traces");
  }

  public static List<String> query(String databaseUrl, String sql) throws SQLException {
    try (Connection connection = DatabaseAddress.parse(databaseUrl).connect();
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(sql)) {
      List<String> rows = new ArrayList<>();
      while (found.next()) {
        rows.add(found.getString(1));
      }
      return rows;
    }
  }

  public static void leaveRecord(String bootstrap, String text)
      throws ExecutionException, InterruptedException, TimeoutException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      if (!admin.listTopics().names().get(LIMIT_SECONDS, TimeUnit.SECONDS).contains(TOPIC)) {
        admin
            .createTopics(List.of(new NewTopic(TOPIC, Optional.of(1), Optional.empty())))
            .all()
            .get(LIMIT_SECONDS, TimeUnit.SECONDS);
      }
    }
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap, "acks", "all"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer
          .send(new ProducerRecord<>(TOPIC, text.getBytes(UTF_8)))
          .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
  }

  public static List<String> records(String bootstrap) {
    TopicPartition partition = new TopicPartition(TOPIC, 0);
    List<String> texts = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end =
          consumer
              .endOffsets(List.of(partition), Duration.ofSeconds(LIMIT_SECONDS))
              .getOrDefault(partition, 0L);
      while (consumer.position(partition, Duration.ofSeconds(LIMIT_SECONDS)) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
          texts.add(new String(record.value(), UTF_8));
        }
      }
    }
    return texts;
  }
}
