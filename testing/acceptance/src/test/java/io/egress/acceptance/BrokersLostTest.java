package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.egress.api.ApiApp;
import io.egress.cli.InternalApi;
import io.egress.dispatcher.DispatcherApp;
import io.egress.settings.Settings;
import io.egress.standalone.demo.SampleConversations;
import io.egress.testing.BrokerCluster;
import io.egress.webhook.queue.Topics;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Three brokers, of which one fails, then another one, and both come back. */
@Tag("full")
class BrokersLostTest {
  private static final Logger log = LoggerFactory.getLogger(BrokersLostTest.class);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Six seconds are promised, on machines that have time for it. */
  private static final Duration TOLD_WITHIN = Duration.ofSeconds(15);

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final UUID workspace = UUID.randomUUID();
  private final Vertx vertx = Vertx.vertx();
  private final Inbox inbox = new Inbox(vertx);
  private final SampleConversations conversations = new SampleConversations(1, workspace);
  private final Map<String, Long> put = new ConcurrentHashMap<>();
  private final AtomicBoolean coming = new AtomicBoolean(true);

  @AfterEach
  void close() {
    coming.set(false);
    done(vertx.close());
  }

  @Test
  void healthTellsWhetherRecordsAreTakenAndDeliveriesGoOnSoon(@TempDir Path folder)
      throws Exception {
    try (BrokerCluster cluster = BrokerCluster.start(folder, 3, SESSION)) {
      Map<String, String> environment = BothRoles.environment();
      environment.put("EGRESS_KAFKA_BOOTSTRAP", cluster.bootstrap());
      environment.put("EGRESS_TOPIC_PARTITIONS", "3");
      environment.put("reconcile-after", "10m");
      Settings settings = Settings.from(environment, environment);
      Settings ofDispatcher = Settings.from(with(environment, "EGRESS_INTERNAL_PORT", "0"));
      ApiApp api = done(ApiApp.start(vertx, settings));
      DispatcherApp dispatcher = done(DispatcherApp.start(vertx, ofDispatcher));
      InternalApi internal = new InternalApi("127.0.0.1", api.internalPort(), BothRoles.TOKEN);
      internal.call(
          "POST",
          "/workspaces/" + workspace + "/endpoints",
          new JsonObject().put("url", inbox.url("fine")));
      Thread pipeline = new Thread(() -> keepComing(internal), "pipeline");
      pipeline.start();
      awaitArrivals(10);
      assertReplicated(settings);
      assertWeakTopicsAreReported(environment);
      int port = dispatcher.internalPort().orElseThrow();
      await().atMost(PATIENCE).until(() -> kafka(port).equals("up"));

      int leader = cluster.leader();
      long killed = System.nanoTime();
      cluster.kill(leader);
      awaitLaterArrival(killed);
      log.info("MEASURED: deliveries after the leader was killed: {} ms", since(killed));
      await().atMost(PATIENCE).until(() -> kafka(port).equals("up"));
      log.info("MEASURED: health up after the leader was killed: {} ms", since(killed));

      int second = (leader + 1) % 3;
      long alone = System.nanoTime();
      cluster.kill(second);
      await()
          .atMost(TOLD_WITHIN)
          .until(() ->
              kafka(port).equals("down")
                  && kafka(api.internalPort()).equals("away")
                  && metric(port).equals("0.0"));
      log.info("MEASURED: health down after the second was killed: {} ms", since(alone));

      cluster.start(second);
      long started = System.nanoTime();
      awaitLaterArrival(started);
      log.info("MEASURED: deliveries after the second came back: {} ms", since(started));
      await().atMost(PATIENCE).until(() -> kafka(port).equals("up") && metric(port).equals("1.0"));
      log.info("MEASURED: health up after the second came back: {} ms", since(started));

      coming.set(false);
      pipeline.join();
      await().atMost(PATIENCE).until(() -> inbox.captures("fine").equals(put.keySet()));
      assertThat(inbox.accepted("fine").values()).allMatch(times -> times == 1);
      done(dispatcher.close());
      done(api.close());
    }
  }

  private static final Map<String, String> SESSION =
      Map.of("broker.session.timeout.ms", "3000", "broker.heartbeat.interval.ms", "1000");

  private static Map<String, String> with(
      Map<String, String> environment, String name, String value) {
    Map<String, String> changed = new HashMap<>(environment);
    changed.put(name, value);
    return changed;
  }

  private static long since(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos).toMillis();
  }

  /** Another service, whose topics somebody created with the brokers' defaults. */
  private void assertWeakTopicsAreReported(Map<String, String> environment) throws Exception {
    Map<String, String> weak = new HashMap<>(environment);
    weak.putAll(TestEnvironment.fresh(BothRoles.TOKEN));
    weak.put("EGRESS_KAFKA_BOOTSTRAP", environment.get("EGRESS_KAFKA_BOOTSTRAP"));
    weak.put("EGRESS_INTERNAL_PORT", "0");
    Settings settings = Settings.from(weak, weak);
    String topic = new Topics(settings.kafka().topicPrefix()).deliveries();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", settings.kafka().bootstrap()))) {
      admin.createTopics(List.of(new NewTopic(topic, 3, (short) 1))).all().get();
    }
    assertThatThrownBy(() ->
            done(
                DispatcherApp.start(
                    vertx, Settings.from(with(weak, "EGRESS_TOPIC_REPLICATION_REQUIRED", "true")))))
        .hasMessageContaining("fewer than 3 replicas")
        .hasMessageContaining("kafka-reassign-partitions.sh --bootstrap-server")
        .hasMessageContaining("\"topic\":\"" + topic + "\",\"partition\":2,\"replicas\":[")
        .hasMessageContaining("min.insync.replicas is below 2")
        .hasMessageContaining("for topic in __consumer_offsets " + topic + "; do kafka-configs.sh");

    DispatcherApp dispatcher = done(DispatcherApp.start(vertx, settings));
    ApiApp api = done(ApiApp.start(vertx, settings));
    InternalApi internal = new InternalApi("127.0.0.1", api.internalPort(), BothRoles.TOKEN);
    await()
        .atMost(PATIENCE)
        .until(() ->
            internal.call("GET", "/queue", new JsonObject()).getJsonArray("weaknesses").size()
                == 2);
    done(dispatcher.close());
    done(api.close());
  }

  private static void assertReplicated(Settings settings) throws Exception {
    Topics topics = new Topics(settings.kafka().topicPrefix());
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", settings.kafka().bootstrap()))) {
      List<String> names =
          List.of(topics.capturesProcessed(), topics.deliveries(), topics.retry("1s"));
      assertThat(admin.describeTopics(names).allTopicNames().get().values())
          .allMatch(
              topic -> topic.partitions().stream().allMatch(each -> each.replicas().size() == 3));
      assertThat(
              admin
                  .describeConfigs(
                      names.stream()
                          .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                          .toList())
                  .all()
                  .get()
                  .values())
          .allMatch(
              config -> "2".equals(requireNonNull(config.get("min.insync.replicas")).value()));
    }
  }

  private void keepComing(InternalApi internal) {
    while (coming.get()) {
      String id = UUID.randomUUID().toString();
      internal.call("PUT", "/captures/" + id, conversations.next(2));
      put.put(id, System.nanoTime());
      await().pollDelay(Duration.ofMillis(100)).until(() -> true);
    }
  }

  private void awaitArrivals(int count) {
    await().atMost(PATIENCE).until(() -> inbox.captures("fine").size() >= count);
  }

  /** Of ten captures that were put after some time. */
  private void awaitLaterArrival(long nanos) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(50))
        .until(() ->
            inbox.captures("fine").stream().filter(id -> put.getOrDefault(id, 0L) > nanos).count()
                >= 10);
  }

  private static String kafka(int port) throws IOException, InterruptedException {
    return new JsonObject(get(port, "/health/ready")).getJsonObject("checks").getString("kafka");
  }

  private static String metric(int port) throws IOException, InterruptedException {
    return get(port, "/metrics")
        .lines()
        .filter(line ->
            line.startsWith("egress_backend_up{backend=\"kafka\"") && line.contains("dispatcher"))
        .map(line -> line.substring(line.lastIndexOf(' ') + 1))
        .findFirst()
        .orElse("");
  }

  private static String get(int port, String path) throws IOException, InterruptedException {
    return HTTP.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            BodyHandlers.ofString())
        .body();
  }
}
