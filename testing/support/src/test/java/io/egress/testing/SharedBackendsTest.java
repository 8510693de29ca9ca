package io.egress.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.embedded.Durability;
import io.egress.embedded.PostgresServer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedBackendsTest {
  private final Path folder;

  SharedBackendsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void giveEachTestADatabaseOfItsOwn() throws Exception {
    SharedBackends backends = SharedBackends.get();
    String one = backends.freshDatabase();
    String other = backends.freshDatabase();
    Traces.leaveRow(one, "one");
    Traces.leaveRow(other, "other");
    assertThat(Traces.rows(one)).containsExactly("one");
    assertThat(Traces.rows(other)).containsExactly("other");
  }

  @Test
  void migrateOnceAndCopyTheDatabaseForEachTest() throws Exception {
    try (PostgresServer server = PostgresServer.start(folder, Durability.UNSYNCED)) {
      Map<String, String> environment =
          Map.of(EnvironmentSource.DATABASE_URL, server.databaseUrl());
      SharedBackends backends =
          new SharedBackends(List.of(new EnvironmentSource(environment), new EmbeddedSource()));
      List<String> migrations = new ArrayList<>();
      Consumer<String> migrate =
          url -> {
            migrations.add(url);
            try {
              Traces.leaveRow(url, "migrated");
            } catch (SQLException failure) {
              throw new AssertionError(failure);
            }
          };

      String one = backends.freshDatabase(migrate);
      Traces.leaveRow(one, "of a test");
      String other = backends.freshDatabase(migrate);

      assertThat(Traces.rows(one)).containsExactly("migrated", "of a test");
      assertThat(Traces.rows(other)).containsExactly("migrated");
      assertThat(migrations).hasSize(1).doesNotContain(one, other);
      backends.close();
    }
  }

  @Test
  void shareOneBroker() throws Exception {
    String bootstrap = SharedBackends.get().kafkaBootstrap();
    assertThat(SharedBackends.get().kafkaBootstrap()).isEqualTo(bootstrap);
    assertThat(SharedBackends.get().freshPrefix())
        .isNotEqualTo(SharedBackends.get().freshPrefix())
        .matches("[a-z0-9.-]+");
    Traces.leaveRecord(bootstrap, "record");
    assertThat(Traces.records(bootstrap)).contains("record");
  }

  @Test
  @Tag("full")
  void useServersNamedInTheEnvironmentAndLeaveNoDatabaseThere() throws Exception {
    try (PostgresServer server = PostgresServer.start(folder, Durability.UNSYNCED)) {
      Map<String, String> environment =
          Map.of(
              EnvironmentSource.DATABASE_URL,
              server.databaseUrl(),
              EnvironmentSource.KAFKA_BOOTSTRAP,
              "kafka.example:9092");
      SharedBackends backends =
          new SharedBackends(List.of(new EnvironmentSource(environment), new EmbeddedSource()));

      String database = backends.freshDatabase();
      Traces.leaveRow(database, "row");
      assertThat(databases(server)).contains(name(database));
      assertThat(backends.kafkaBootstrap()).isEqualTo("kafka.example:9092");
      backends.close();

      assertThat(databases(server)).doesNotContain(name(database)).contains("egress");
    }
  }

  private static List<String> databases(PostgresServer server) throws Exception {
    return Traces.query(server.databaseUrl(), "SELECT datname FROM pg_database");
  }

  private static String name(String url) {
    return url.substring(url.lastIndexOf('/') + 1);
  }
}
