package io.egress.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.egress.platform.environment.SettingsException;
import io.egress.testing.SharedBackends;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes of two releases start on one database, as in a rolling update. */
class MigrationsTest {
  private static final int PROCESSES = 4;

  private final Vertx vertx = Vertx.vertx();
  private final String url = SharedBackends.get().freshDatabase();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(20, TimeUnit.SECONDS);
  }

  @Test
  void areAppliedOnceByConcurrentProcesses() throws Exception {
    List<Future<Void>> starts =
        IntStream.range(0, PROCESSES).mapToObj(_ -> Migrations.run(vertx, url)).toList();

    Future.all(starts).await(60, TimeUnit.SECONDS);

    assertThat(count("flyway_schema_history where success")).isEqualTo(scripts());
  }

  @Test
  void letAnOlderProcessStartOnANewerSchema(@TempDir Path newer) throws Exception {
    Migrations.run(vertx, url).await(60, TimeUnit.SECONDS);
    migrateFurther(newer);

    Migrations.run(vertx, url).await(60, TimeUnit.SECONDS);

    assertThat(count("flyway_schema_history where version = '9999' and success")).isOne();
  }

  @Test
  void refuseADatabaseOfAnUnreleasedBuildInOneSentence(@TempDir Path unreleased) throws Exception {
    Files.writeString(unreleased.resolve("V1__stream.sql"), "create table stream ();");
    Files.writeString(unreleased.resolve("V2__endpoints.sql"), "create table endpoints ();");
    migrate("filesystem:" + unreleased);

    assertThatThrownBy(() -> Migrations.run(vertx, url).await(60, TimeUnit.SECONDS))
        .isInstanceOfSatisfying(
            SettingsException.class,
            refused ->
                assertThat(refused.faults())
                    .singleElement(STRING)
                    .startsWith("EGRESS_DATABASE_URL: ")
                    .contains("start with an empty database"));

    assertThat(count("flyway_schema_history")).as("left as it was").isEqualTo(2);
  }

  private void migrateFurther(Path folder) throws IOException {
    Files.writeString(folder.resolve("V9999__of_a_newer_release.sql"), "create table newer ();");
    migrate("classpath:db/migration", "filesystem:" + folder);
  }

  private void migrate(String... locations) {
    Flyway.configure()
        .dataSource(ConnectOptions.forJdbc(DatabaseUrl.parse(url)))
        .locations(locations)
        .load()
        .migrate();
  }

  private static long scripts() throws IOException {
    try (Stream<Path> scripts = Files.list(Path.of("src/main/resources/db/migration"))) {
      return scripts.count();
    }
  }

  private long count(String rows) throws SQLException {
    try (Connection connection = ConnectOptions.forJdbc(DatabaseUrl.parse(url)).getConnection();
        Statement statement = connection.createStatement();
        ResultSet counted = statement.executeQuery("select count(*) from " + rows)) {
      assertThat(counted.next()).isTrue();
      return counted.getLong(1);
    }
  }
}
