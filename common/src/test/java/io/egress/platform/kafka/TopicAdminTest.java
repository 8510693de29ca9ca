package io.egress.platform.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.testing.SharedBackends;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TopicAdminTest {
  private static final Duration DAY = Duration.ofDays(1);

  private final Vertx vertx = Vertx.vertx();
  private final String prefix = SharedBackends.get().freshPrefix();
  private final KafkaSettings settings =
      new KafkaSettings(
          SharedBackends.get().kafkaBootstrap(),
          prefix,
          new TopicSettings(3, false),
          KafkaProperties.NONE);
  private final Admin admin =
      Admin.create(Map.of("bootstrap.servers", SharedBackends.get().kafkaBootstrap()));
  private final NeededTopic deliveries =
      NeededTopic.copartitioned(prefix + "deliveries", Duration.ZERO);
  private final NeededTopic retry = NeededTopic.copartitioned(prefix + "retry.24h", DAY);
  private final NeededTopic captures = NeededTopic.undelayed(prefix + "captures");

  @AfterEach
  void close() throws TimeoutException {
    admin.close();
    await(vertx.close());
  }

  @Test
  void createsMissingTopicsFromTheSettings() throws Exception {
    await(TopicAdmin.ensure(vertx, settings, List.of(deliveries, retry, captures)));
    await(TopicAdmin.requireFit(vertx, settings, List.of(deliveries, retry, captures)));

    assertThat(config(retry, "retention.ms")).isEqualTo(millis(Duration.ofDays(8)));
    assertThat(config(deliveries, "retention.ms")).isEqualTo(millis(Duration.ofDays(7)));
    assertThat(config(retry, "min.insync.replicas")).isEqualTo("1");
    assertThat(config(retry, "cleanup.policy")).isEqualTo("delete");
    assertThat(config(retry, "message.timestamp.type")).isEqualTo("LogAppendTime");
    assertThat(await(TopicAdmin.partitions(vertx, settings, retry.name()))).isEqualTo(3);
  }

  @Test
  void createdTopicsAcceptRecordsAtOnce() throws Exception {
    Map<String, Object> properties =
        new HashMap<>(Map.of("retries", 0, "enable.idempotence", false));
    properties.put("bootstrap.servers", SharedBackends.get().kafkaBootstrap());
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
      for (int round = 0; round < 20; round++) {
        NeededTopic made = NeededTopic.undelayed(prefix + "made-" + round);
        await(TopicAdmin.ensure(vertx, settings, List.of(made)));
        for (int partition = 0; partition < 3; partition++) {
          producer.send(new ProducerRecord<>(made.name(), partition, "", "")).get();
        }
      }
    }
  }

  /** Whoever dates them, such as by a database whose clock is wrong. */
  @Test
  void createdTopicsAcceptRecordsOfAnyDate() throws Exception {
    await(TopicAdmin.ensure(vertx, settings, List.of(captures)));
    Map<String, Object> properties =
        Map.of("bootstrap.servers", SharedBackends.get().kafkaBootstrap());
    long now = System.currentTimeMillis();
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
      for (Duration ahead : List.of(DAY, DAY.negated(), DAY.multipliedBy(-40))) {
        long dated = now + ahead.toMillis();
        assertThat(
                producer
                    .send(new ProducerRecord<>(captures.name(), 0, dated, "", ""))
                    .get()
                    .timestamp())
            .isBetween(now - 60_000, now + 60_000);
      }
    }
  }

  @Test
  void leavesExistingTopicsUnchanged() throws Exception {
    create(deliveries, 2, Map.of("retention.ms", millis(Duration.ofDays(9))));
    await(TopicAdmin.ensure(vertx, settings, List.of(deliveries, retry, captures)));
    await(TopicAdmin.requireFit(vertx, settings, List.of(deliveries, retry, captures)));

    assertThat(config(deliveries, "retention.ms")).isEqualTo(millis(Duration.ofDays(9)));
    assertThat(await(TopicAdmin.partitions(vertx, settings, deliveries.name()))).isEqualTo(2);
    assertThat(await(TopicAdmin.partitions(vertx, settings, retry.name())))
        .as("one that is created goes with those that are there")
        .isEqualTo(2);
    assertThat(await(TopicAdmin.partitions(vertx, settings, captures.name()))).isEqualTo(3);
  }

  @Test
  void refusesARetentionBelowTheRetryDelay() throws Exception {
    create(retry, 3, Map.of("retention.ms", millis(Duration.ofHours(36))));

    assertThatThrownBy(() -> await(TopicAdmin.requireFit(vertx, settings, List.of(retry))))
        .isInstanceOf(UnfitTopicsException.class)
        .hasMessage(
            "topic %s keeps records for 36h (retention.ms=129600000), which are due up to 24h after"
                + " they are written: at least 48h are needed (retention.ms=172800000)",
            retry.name());

    alter(retry, "retention.ms", "-1");
    await(TopicAdmin.requireFit(vertx, settings, List.of(retry)));
  }

  @Test
  void refusesATopicThatIsCompacted() throws Exception {
    create(deliveries, 3, Map.of("cleanup.policy", "compact,delete"));

    assertThatThrownBy(() -> await(TopicAdmin.requireFit(vertx, settings, List.of(deliveries))))
        .isInstanceOf(UnfitTopicsException.class)
        .hasMessageContaining(deliveries.name() + " has cleanup.policy=compact,delete");
  }

  @Test
  void refusesTopicsThatAreNotPartitionedAlikeAndCreatesNone() throws Exception {
    create(deliveries, 4, Map.of());
    create(retry, 2, Map.of());
    NeededTopic parked = NeededTopic.copartitioned(prefix + "parked", Duration.ZERO);

    assertThatThrownBy(
            () -> await(TopicAdmin.ensure(vertx, settings, List.of(deliveries, retry, parked))))
        .isInstanceOf(UnfitTopicsException.class)
        .hasMessageContaining(deliveries.name() + " has 4")
        .hasMessageContaining(retry.name() + " has 2")
        .hasMessageContaining("--partitions 4");
    assertThat(await(TopicAdmin.startingWith(vertx, settings, prefix)))
        .containsExactlyInAnyOrder(deliveries.name(), retry.name());

    admin.createPartitions(Map.of(retry.name(), NewPartitions.increaseTo(4))).all().get();
    awaitPartitions(retry, 4);
    await(TopicAdmin.ensure(vertx, settings, List.of(deliveries, retry, parked)));
    await(TopicAdmin.requireFit(vertx, settings, List.of(deliveries, retry, parked)));
  }

  private void create(NeededTopic topic, int partitions, Map<String, String> configs)
      throws ExecutionException, InterruptedException {
    admin
        .createTopics(
            List.of(
                new NewTopic(topic.name(), Optional.of(partitions), Optional.empty())
                    .configs(configs)))
        .all()
        .get();
    awaitPartitions(topic, partitions);
  }

  /** What the controller has decided is known to the broker a moment later. */
  private void awaitPartitions(NeededTopic topic, int partitions) {
    Awaitility.await()
        .ignoreExceptions()
        .until(() -> await(TopicAdmin.partitions(vertx, settings, topic.name())) == partitions);
  }

  private void alter(NeededTopic topic, String name, String value)
      throws ExecutionException, InterruptedException {
    Map<ConfigResource, Collection<AlterConfigOp>> change =
        Map.of(
            resource(topic),
            List.of(new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET)));
    admin.incrementalAlterConfigs(change).all().get();
  }

  private String config(NeededTopic topic, String name)
      throws ExecutionException, InterruptedException {
    Config config =
        admin.describeConfigs(List.of(resource(topic))).all().get().values().iterator().next();
    return config.get(name).value();
  }

  private static ConfigResource resource(NeededTopic topic) {
    return new ConfigResource(ConfigResource.Type.TOPIC, topic.name());
  }

  private static String millis(Duration duration) {
    return Long.toString(duration.toMillis());
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(60, TimeUnit.SECONDS);
  }
}
