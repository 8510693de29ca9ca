package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.egress.cli.InternalApi;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The database is searched by ErasuresApiTest. */
@Tag("full")
class ErasureRemainsTest {
  private static final String TOKEN = "token-of-a-privacy-officer";
  private static final String SPOKEN = "spoken-and-then-erased";
  private static final String TITLE = "title-and-then-erased";
  private static final String NAME = "name-and-then-erased";
  private static final String EMAIL = "mail-and-then-erased";

  private final UUID workspace = UUID.randomUUID();
  private final UUID capture = UUID.randomUUID();
  private final AtomicInteger attempts = new AtomicInteger();
  private final Vertx outside = Vertx.vertx();
  private final SpanCollector spans = new SpanCollector(outside);
  private HttpServer receiver;

  /** Repeats what it was sent. */
  @BeforeEach
  void receive() throws Exception {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(500, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
          attempts.incrementAndGet();
        });
    receiver.start();
  }

  @AfterEach
  void stop() throws Exception {
    receiver.stop(0);
    outside.close().await(30, TimeUnit.SECONDS);
  }

  @Test
  void areInNoKafkaRecordLogLineOrSpan() throws Exception {
    Map<String, String> environment = environment();
    try (CommandLine api = CommandLine.start(environment, "api");
        CommandLine dispatcher = CommandLine.start(environment, "dispatcher")) {
      int port = Integer.parseInt(api.awaitOutput("api is up: .*internal port (\\d+)"));
      InternalApi internal = new InternalApi("127.0.0.1", port, TOKEN);
      internal.call(
          "POST",
          "/workspaces/" + workspace + "/endpoints",
          new JsonObject()
              .put("url", "http://127.0.0.1:" + receiver.getAddress().getPort() + "/")
              .put("events", new JsonArray().add("capture.processed").add("capture.erased")));
      internal.call("PUT", "/captures/" + capture, capture());
      await().until(() -> attempts.get() >= 2);

      internal.call("DELETE", "/captures/" + capture, new JsonObject().put("reason", "requested"));
      int before = attempts.get();
      await().until(() -> attempts.get() > before);
      dispatcher.terminate();
      api.terminate();
      assertThat(dispatcher.awaitExit()).as(dispatcher.output()).isZero();
      assertThat(api.awaitExit()).as(api.output()).isZero();

      assertThat(api.output() + dispatcher.output())
          .contains(capture.toString())
          .doesNotContain(SPOKEN, TITLE, NAME, EMAIL);
      assertThat(spans.all().toString())
          .contains(capture.toString())
          .doesNotContain(SPOKEN, TITLE, NAME, EMAIL);
      String records = String.join("\n", records(environment));
      assertThat(records).contains(capture.toString()).doesNotContain(SPOKEN, TITLE, NAME, EMAIL);
    }
  }

  private Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>(BothRoles.environment());
    environment.put("EGRESS_INTERNAL_TOKEN", TOKEN);
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_LOG_LEVEL", "trace");
    environment.put("EGRESS_LOG_FORMAT", "json");
    environment.put("EGRESS_ACCESS_LOG", "true");
    environment.put("JAVA_TOOL_OPTIONS", "-Dlogback.configurationFile=logback.xml");
    environment.put("EGRESS_RETRY_SCHEDULE", "1s,2s,1h");
    environment.put("EGRESS_TRACING_OTLP_URL", spans.url());
    environment.put("EGRESS_TRACING_SAMPLE", "1");
    return environment;
  }

  /** The keys, values and headers of all records in the service's topics. */
  private static List<String> records(Map<String, String> environment) {
    Map<String, Object> consumer =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, environment.get("EGRESS_KAFKA_BOOTSTRAP"),
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    List<String> records = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> kafka = new KafkaConsumer<>(consumer)) {
      List<TopicPartition> partitions =
          kafka.listTopics().entrySet().stream()
              .filter(topic -> topic.getKey().startsWith(environment.get("EGRESS_TOPIC_PREFIX")))
              .flatMap(topic -> topic.getValue().stream())
              .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
              .toList();
      kafka.assign(partitions);
      kafka.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = kafka.endOffsets(partitions);
      while (ends.entrySet().stream()
          .anyMatch(end -> kafka.position(end.getKey()) < end.getValue())) {
        kafka
            .poll(Duration.ofMillis(200))
            .forEach(record -> {
              records.add(text(record.key()) + text(record.value()));
              record.headers().forEach(header -> records.add(text(header.value())));
            });
      }
    }
    return records;
  }

  private static String text(byte @Nullable [] bytes) {
    return bytes == null ? "" : new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private JsonObject capture() {
    JsonObject member =
        new JsonObject()
            .put("id", UUID.randomUUID().toString())
            .put("name", NAME)
            .put("email", EMAIL + "@example.com");
    return new JsonObject()
        .put("workspace_id", workspace.toString())
        .put("mode", "manual")
        .put("title", TITLE)
        .put("started_at", "2026-01-02T03:04:05Z")
        .put("device", new JsonObject().put("id", UUID.randomUUID().toString()))
        .put(
            "participants",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("label", "S1")
                        .put("speech_ms", 900)
                        .put("member", member)))
        .put(
            "segments",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("start_ms", 0)
                        .put("end_ms", 900)
                        .put("speaker", "S1")
                        .put("text", SPOKEN)));
  }
}
