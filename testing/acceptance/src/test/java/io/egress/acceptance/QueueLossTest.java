package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.embedded.Durability;
import io.egress.embedded.KafkaBroker;
import io.egress.platform.database.Database;
import io.egress.settings.Settings;
import io.egress.standalone.demo.SampleConversations;
import io.egress.webhook.queue.Topics;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Kafka loses what it holds for the service, which notices and publishes it again by itself. */
@Execution(ExecutionMode.CONCURRENT)
class QueueLossTest {
  private static final int CAPTURES = 20;
  private static final String PARTITIONS = "2";

  private final UUID workspace = UUID.randomUUID();
  private final Vertx vertx = Vertx.vertx();
  private final Inbox inbox = new Inbox(vertx);
  private final SampleConversations conversations = new SampleConversations(1, workspace);
  private final Set<String> captures = new HashSet<>();
  private final Map<String, String> endpoints = new HashMap<>();
  private Map<String, String> environment = environment();
  private Settings settings = Settings.from(environment, environment);
  private Topics topics = new Topics(settings.kafka().topicPrefix());
  private Pool database = Database.pool(vertx, settings.database(), "test", 1);
  private @Nullable BothRoles running;

  @AfterEach
  void close() {
    stop();
    done(database.close());
    done(vertx.close());
  }

  @Test
  @Tag("full")
  void everythingAfterTheDataOfKafkaWereDeleted(@TempDir Path folder) throws IOException {
    try (KafkaBroker broker = KafkaBroker.start(folder, Durability.UNSYNCED)) {
      Map<String, String> lost = environment();
      lost.put("EGRESS_KAFKA_BOOTSTRAP", broker.bootstrap());
      use(lost);
      makeAQueue();
      stop();
      broker.stop();
      deleteAll(folder.resolve("data"));
      broker.start();

      start();
      inbox.onlyDown(Set.of());

      awaitEverything();
      assertThat(rebuild().getString("reason")).isEqualTo("lost");
      assertThat(audited("queue.lost")).isEqualTo(1);
      stop();
    }
  }

  @Test
  @Tag("full")
  void theRecordsOfATopicThatIsCreatedAnew() throws Exception {
    start();
    makeAQueue();

    try (Admin admin = admin()) {
      for (String topic : List.of(topics.retry("4s"), topics.backfill(), topics.deliveries())) {
        admin.deleteTopics(List.of(topic)).all().get();
        NewTopic same = new NewTopic(topic, Integer.parseInt(PARTITIONS), (short) 1);
        await()
            .ignoreExceptions()
            .until(() -> admin.createTopics(List.of(same)).all().get() == null);
      }
    }
    inbox.onlyDown(Set.of());

    awaitEverything();
    assertThat(audited("queue.lost")).isGreaterThanOrEqualTo(1);
  }

  @Test
  @Tag("full")
  void theRecordsOfADeletedTopic() throws Exception {
    start();
    makeAQueue();

    try (Admin admin = admin()) {
      admin.deleteTopics(List.of(topics.retry("4s"), topics.capturesProcessed())).all().get();
    }
    finish(CAPTURES);
    inbox.onlyDown(Set.of());

    awaitEverything();
  }

  @Test
  @Tag("full")
  void recordsThatWereDeletedBeforeTheyWereDue() throws Exception {
    start();
    makeAQueue();

    try (Admin admin = admin()) {
      admin
          .deleteRecords(
              ends(admin, topics.retry("4s")).entrySet().stream()
                  .collect(
                      toMap(
                          Map.Entry::getKey, end -> RecordsToDelete.beforeOffset(end.getValue()))))
          .all()
          .get();
    }
    inbox.onlyDown(Set.of());

    awaitEverything();
    assertThat(audited("queue.lost")).isGreaterThanOrEqualTo(1);
  }

  /** Which Kafka cannot tell from records that were processed: the delivery log can. */
  @Test
  @Tag("full")
  void recordsThatAnOperatorSkipped() throws Exception {
    Map<String, String> eager = environment();
    eager.put("reconcile-after", "2s");
    use(eager);
    makeAQueue();
    stop();

    try (Admin admin = admin()) {
      for (String topic : List.of(topics.retry("4s"), topics.backfill(), topics.deliveries())) {
        Map<TopicPartition, OffsetAndMetadata> skipped =
            ends(admin, topic).entrySet().stream()
                .collect(toMap(Map.Entry::getKey, end -> new OffsetAndMetadata(end.getValue())));
        admin.alterConsumerGroupOffsets(topics.dispatcherGroup(), skipped).all().get();
      }
    }
    start();
    inbox.onlyDown(Set.of());

    awaitEverything();
    assertThat(audited("queue.lost")).isZero();
  }

  @Test
  void whatAnOperatorAsksForWhileNothingIsLost() throws Exception {
    start();
    makeAQueue();

    int port = requireNonNull(running).internalPort();
    assertThat(new Administrator(port, BothRoles.TOKEN).run("rebuild-queue"))
        .containsPattern("published \\d+ deliveries; (finished|retries)");
    assertThat(rebuild().getString("reason")).isEqualTo("requested");
    inbox.onlyDown(Set.of());

    awaitEverything();
    await().until(() -> rebuild().getString("state").equals("finished"));
    assertThat(rebuild().getLong("published")).isLessThanOrEqualTo(3L * CAPTURES);
    assertThat(audited("queue.rebuild_requested")).isEqualTo(1);
  }

  /** Live deliveries and a replay's, all of which wait for their first retry. */
  private void makeAQueue() {
    endpoint("fine");
    endpoint("replayed");
    finish(CAPTURES);
    await()
        .until(() ->
            inbox.captures("fine").equals(captures) && inbox.captures("replayed").equals(captures));
    inbox.onlyDown(Set.of("flaky", "replayed"));
    endpoint("flaky");
    finish(CAPTURES);
    call(
        "POST",
        "/workspaces/" + workspace + "/endpoints/" + endpoints.get("replayed") + "/replays",
        new JsonObject().put("from_position", 1).put("to_position", CAPTURES));
    await()
        .until(() ->
            count(
                    "deliveries where state = 'pending' and attempts >= 1"
                        + " and next_attempt_at is not null")
                == 3 * CAPTURES);
  }

  private void awaitEverything() {
    await()
        .untilAsserted(() -> {
          assertThat(inbox.captures("fine")).isEqualTo(captures);
          assertThat(inbox.captures("flaky")).hasSize(captures.size() - CAPTURES);
          assertThat(inbox.captures("replayed")).isEqualTo(captures);
          assertThat(inbox.accepted("replayed")).hasSize(captures.size() + CAPTURES);
          assertThat(count("deliveries where state <> 'delivered'")).isZero();
        });
    for (String name : List.of("fine", "flaky", "replayed")) {
      assertThat(inbox.accepted(name).values()).as(name).allMatch(times -> times == 1);
    }
    assertThat(count(EARLY)).as("retries before their time").isZero();
  }

  private static final String EARLY =
      """
      attempts a join attempts b on b.delivery_id = a.delivery_id and b.attempt = a.attempt + 1
      where b.started_at < a.started_at + interval '4 s'
      """;

  private JsonObject rebuild() {
    return call("GET", "/queue", new JsonObject()).getJsonObject("rebuild");
  }

  private long audited(String action) {
    return count("audit where action = '" + action + "'");
  }

  private long count(String what) {
    return done(database.query("select count(*) from " + what).execute())
        .iterator()
        .next()
        .getLong(0);
  }

  private void endpoint(String name) {
    JsonObject made =
        call(
            "POST",
            "/workspaces/" + workspace + "/endpoints",
            new JsonObject().put("url", inbox.url(name)));
    endpoints.put(name, made.getString("id"));
  }

  private void finish(int count) {
    for (int i = 0; i < count; i++) {
      String id = UUID.randomUUID().toString();
      call("PUT", "/captures/" + id, conversations.next(2));
      captures.add(id);
    }
  }

  private void use(Map<String, String> other) {
    done(database.close());
    environment = other;
    settings = Settings.from(environment, environment);
    topics = new Topics(settings.kafka().topicPrefix());
    database = Database.pool(vertx, settings.database(), "test", 1);
    start();
  }

  private void start() {
    running = new BothRoles(environment);
  }

  private void stop() {
    BothRoles stopped = running;
    running = null;
    if (stopped != null) {
      stopped.close();
    }
  }

  private JsonObject call(String method, String path, JsonObject body) {
    return requireNonNull(running).call(method, path, body);
  }

  private Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", settings.kafka().bootstrap()));
  }

  private static Map<TopicPartition, Long> ends(Admin admin, String topic) throws Exception {
    Map<TopicPartition, OffsetSpec> partitions = new HashMap<>();
    for (int i = 0; i < Integer.parseInt(PARTITIONS); i++) {
      partitions.put(new TopicPartition(topic, i), OffsetSpec.latest());
    }
    Map<TopicPartition, Long> ends = new HashMap<>();
    admin
        .listOffsets(partitions)
        .all()
        .get()
        .forEach((partition, end) -> ends.put(partition, end.offset()));
    return ends;
  }

  private static void deleteAll(Path root) throws IOException {
    try (Stream<Path> found = Files.walk(root)) {
      for (Path each : found.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  private static Map<String, String> environment() {
    Map<String, String> environment = BothRoles.environment();
    environment.put("EGRESS_TOPIC_PARTITIONS", PARTITIONS);
    environment.put("EGRESS_RETRY_SCHEDULE", "4s,4s,4s,4s,4s,4s,4s,4s");
    environment.put("reconcile-after", "10m");
    return environment;
  }
}
