package io.egress.api.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.platform.database.Database;
import io.egress.platform.database.Migrations;
import io.egress.platform.kafka.KafkaClients;
import io.egress.platform.kafka.NeededTopic;
import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.kafka.TopicAdmin;
import io.egress.settings.Settings;
import io.egress.webhook.trace.Tracing;
import io.opentelemetry.api.OpenTelemetry;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Two processes on one outbox, one of which cannot reach Kafka. */
@Execution(ExecutionMode.CONCURRENT)
class OutboxTest {
  private static final String TOPIC = "captures";

  private final Vertx vertx = Vertx.vertx();
  private final Map<String, String> environment = Service.freshEnvironment();
  private final Settings settings = Settings.from(environment);
  private final String topic = settings.kafka().topicPrefix() + TOPIC;
  private final AtomicBoolean stopped = new AtomicBoolean();

  @AfterEach
  void close() {
    stopped.set(true);
    Service.await(vertx.close());
  }

  @Test
  void aProcessWithoutKafkaLeavesItsRowsToAnother() throws IOException {
    Service.await(Migrations.run(vertx, settings.database().url()));
    Service.await(
        TopicAdmin.ensure(vertx, settings.kafka(), List.of(NeededTopic.undelayed(topic))));
    Pool pool = Database.pool(vertx, settings.database(), "test", 4);
    Service.await(
        pool.query(
                """
                insert into outbox (workspace_id, position, capture_id, entered_at)
                select gen_random_uuid(), n, gen_random_uuid(), now() - interval '1 minute'
                from generate_series(1, 20) as n
                """)
            .execute());
    AtomicInteger published = new AtomicInteger();
    try (ServerSocket silent = new ServerSocket(0, 100, InetAddress.getLoopbackAddress())) {
      environment.put("EGRESS_KAFKA_BOOTSTRAP", "127.0.0.1:" + silent.getLocalPort());
      repeat(outbox(pool, Settings.from(environment), new AtomicInteger()));
      await().until(() -> free(pool) == 0);

      repeat(outbox(pool, settings, published));

      await().atMost(Duration.ofSeconds(9)).until(() -> published.get() >= 20);
      await().until(() -> rows(pool) == 0);
    }
    assertThat(published).hasValue(20);
  }

  private Outbox outbox(Pool pool, Settings of, AtomicInteger published) {
    RecordPublisher publisher =
        new RecordPublisher(vertx, KafkaClients.producer(vertx, of.kafka()), Clock.systemUTC());
    return new Outbox(
        vertx,
        pool,
        new CapturePublisher(publisher, topic, new Tracing(OpenTelemetry.noop(), false)),
        batch -> published.addAndGet(batch.size()));
  }

  private void repeat(Outbox outbox) {
    outbox
        .publishLeft()
        .onComplete(_ -> {
          if (!stopped.get()) {
            vertx.setTimer(50, _ -> repeat(outbox));
          }
        });
  }

  /** Rows that no transaction holds. */
  private static int free(Pool pool) {
    return Service.await(pool.query("select from outbox for update skip locked").execute()).size();
  }

  private static int rows(Pool pool) {
    return Service.await(pool.query("select from outbox").execute()).size();
  }
}
