package io.egress.dispatcher.backfill;

import static io.egress.dispatcher.backfill.BackfillWorld.until;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.kafka.client.producer.KafkaProducer;
import io.vertx.kafka.client.serialization.BufferSerializer;
import java.util.HashSet;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** Kafka or PostgreSQL become unavailable and recover: nothing is lost, and little is logged. */
@Tag("full")
@Isolated("it reads the log")
class BackfillsAwayTest {
  private static final int BATCH = 50;
  private static final String GIVE_UP_MS = "1000";
  private static final String WAIT_FOR_METADATA_MS = "50";

  private final Logger log = (Logger) LoggerFactory.getLogger(BackfillPublisher.class);
  private final ListAppender<ILoggingEvent> told = new ListAppender<>();
  private EmbeddedBackends backends;
  private BackfillWorld world;
  private KafkaProducer<String, Buffer> impatient;

  @BeforeEach
  void start() {
    backends = EmbeddedBackends.start(EmbeddedOptions.scratch());
    world = new BackfillWorld(backends.databaseUrl(), backends.kafkaBootstrap());
    impatient = impatientProducer();
    told.list = new CopyOnWriteArrayList<>();
    told.start();
    log.addAppender(told);
    log.setLevel(Level.DEBUG);
    log.setAdditive(false);
  }

  @AfterEach
  void stop() {
    log.detachAppender(told);
    log.setLevel(null);
    log.setAdditive(true);
    BackfillWorld.await(impatient.close());
    world.close();
    backends.close();
  }

  @Test
  void continuesWhenKafkaIsBack() {
    UUID workspace = world.workspace(400);
    UUID endpoint = world.endpoint(workspace);
    TestWorker worker = world.worker(BackfillWorld.settings(4 * BATCH, 2_000, BATCH), impatient);
    worker.own(0, 1, 2, 3);
    until(() -> world.published.to(endpoint).size() == 200);
    backends.kafka().stop();
    long before = failures();
    worker.settle(world.published.to(endpoint));
    until(() -> failures() >= before + 3);
    assertThat(world.nextPosition(endpoint)).isEqualTo(201);
    assertThat(worker.ahead()).as("the batch that is tried again").isEqualTo(BATCH);

    backends.kafka().start();
    world.settleUntilFinished(worker, endpoint);
    until(() -> new HashSet<>(world.published.capturesTo(endpoint)).size() == 400);
    assertThat(new HashSet<>(world.published.capturesTo(endpoint)))
        .isEqualTo(new HashSet<>(world.captures(workspace)));
    assertThat(warnings()).isEqualTo(1);
  }

  /** It looks for history and sends it: either may meet the failure first, or both. */
  @Test
  void continuesWhenPostgresIsBack() {
    UUID workspace = world.workspace(400);
    UUID endpoint = world.endpoint(workspace);
    TestWorker worker = world.workerOfAll(BackfillWorld.settings(100, 1_000, BATCH));
    until(() -> world.published.to(endpoint).size() == 100);
    until(() -> world.nextPosition(endpoint) == 101);
    backends.postgres().stop();
    worker.settle(world.published.to(endpoint));
    until(() -> failures() >= 5);

    backends.postgres().start();
    world.settleUntilFinished(worker, endpoint);
    until(() -> world.published.to(endpoint).size() == 400);
    assertThat(world.published.capturesTo(endpoint))
        .containsExactlyElementsOf(world.captures(workspace));
    assertThat(warnings()).isBetween(1L, 2L);
  }

  private long failures() {
    return told.list.stream()
        .filter(each -> each.getFormattedMessage().contains("retrying"))
        .count();
  }

  private long warnings() {
    return told.list.stream().filter(each -> each.getLevel() == Level.WARN).count();
  }

  /** The service's own producer bridges outages of 20 s by itself; this one reports them. */
  private KafkaProducer<String, Buffer> impatientProducer() {
    return KafkaProducer.create(
        world.vertx,
        Map.of(
            "bootstrap.servers",
            backends.kafkaBootstrap(),
            "key.serializer",
            StringSerializer.class.getName(),
            "value.serializer",
            BufferSerializer.class.getName(),
            "linger.ms",
            "0",
            "delivery.timeout.ms",
            GIVE_UP_MS,
            "request.timeout.ms",
            GIVE_UP_MS,
            "max.block.ms",
            WAIT_FOR_METADATA_MS));
  }
}
