package io.egress.platform.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.embedded.Durability;
import io.egress.embedded.PostgresServer;
import io.egress.platform.database.Database;
import io.egress.platform.metrics.Metrics;
import io.egress.settings.Settings;
import io.egress.testing.SharedBackends;
import io.egress.testing.TcpProxy;
import io.vertx.core.Vertx;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackendProbesTest {

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(30, TimeUnit.SECONDS);
  }

  /** No pool keeps a connection to it, so nothing can be read either. */
  @Test
  void aServerThatAnswersThatItIsReadOnlyIsNotAway(@TempDir Path folder) throws Exception {
    try (PostgresServer postgres =
            PostgresServer.start(folder.resolve("postgres"), Durability.UNSYNCED);
        Metrics metrics = new Metrics()) {
      postgres.alter("set default_transaction_read_only = on");
      Settings settings =
          Settings.from(environment(postgres.databaseUrl(), SharedBackends.get().kafkaBootstrap()));
      BackendProbes probes =
          BackendProbes.open(
              vertx, Database.of(vertx, settings.database()), settings.kafka(), metrics, "api");
      probes.databaseAsked().await(30, TimeUnit.SECONDS);

      await().until(() -> probes.database() == DatabaseState.READ_ONLY);
      postgres.alter("reset default_transaction_read_only");
      await().until(() -> probes.database() == DatabaseState.WRITABLE);

      postgres.kill();
      await().until(() -> probes.database() == DatabaseState.UNAVAILABLE);
      assertThat(probes.databaseUp()).isFalse();
      probes.close().await(30, TimeUnit.SECONDS);
    }
  }

  /** As on a busy machine, where the first connection of a new process takes seconds. */
  @Test
  void theFirstAnswersMayTakeLonger() throws Exception {
    SharedBackends backends = SharedBackends.get();
    String database = backends.freshDatabase();
    String kafka = backends.kafkaBootstrap();
    try (TcpProxy slowPostgres = TcpProxy.open(URI.create(database).getPort());
        TcpProxy slowKafka = TcpProxy.open(Integer.parseInt(kafka.replaceFirst(".*:", "")));
        Metrics metrics = new Metrics()) {
      slowPostgres.stall();
      slowKafka.stall();
      Settings settings =
          Settings.from(environment(slowPostgres.url(database), "127.0.0.1:" + slowKafka.port()));
      BackendProbes probes =
          BackendProbes.open(
              vertx, Database.of(vertx, settings.database()), settings.kafka(), metrics, "api");
      vertx.setTimer(
          3_500,
          _ -> {
            slowPostgres.resume();
            slowKafka.resume();
          });

      probes.databaseAsked().await(30, TimeUnit.SECONDS);
      assertThat(probes.database()).isEqualTo(DatabaseState.WRITABLE);
      await().failFast("Kafka is taken for away", probes::isKafkaAway).until(probes::kafkaUp);
      probes.close().await(30, TimeUnit.SECONDS);
    }
  }

  private static Map<String, String> environment(String databaseUrl, String kafkaBootstrap) {
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_INTERNAL_TOKEN", "test-token-of-the-internal-api");
    environment.put("EGRESS_DATABASE_URL", databaseUrl);
    environment.put("EGRESS_KAFKA_BOOTSTRAP", kafkaBootstrap);
    environment.put("EGRESS_TOPIC_PREFIX", SharedBackends.get().freshPrefix());
    return environment;
  }
}
