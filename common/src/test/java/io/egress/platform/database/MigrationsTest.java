package io.egress.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

  /** Others that use the table wait for a second at most, then for the next try. */
  @Test
  void doNotHoldUpOthersWhileTheyWaitForATable(@TempDir Path newer) throws Exception {
    Migrations.run(url);
    Files.writeString(
        newer.resolve("V9999__alters.sql"), "alter table captures add column newer text;");
    try (Connection reader = connect();
        Connection other = connect()) {
      reader.setAutoCommit(false);
      execute(reader, "select from captures");
      CompletableFuture<Void> migrated = CompletableFuture.runAsync(() -> runWith(newer));

      await().until(() -> count("pg_locks where mode = 'AccessExclusiveLock' and not granted") > 0);
      execute(other, "set statement_timeout = '5s'");
      execute(other, "select from captures");
      assertThat(migrated).isNotDone();
      reader.commit();

      migrated.get(60, TimeUnit.SECONDS);
    }
    assertThat(count("flyway_schema_history where version = '9999' and success")).isOne();
  }

  @Test
  void goOnAfterAProcessWasKilledInTheMiddle(@TempDir Path newer) throws Exception {
    Migrations.run(url);
    Path script = newer.resolve("V9999__slow.sql");
    Files.writeString(script, "create table newer (); select pg_sleep(60);");
    CompletableFuture<Void> killed = CompletableFuture.runAsync(() -> runWith(newer));
    String sleeping =
        "pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'";
    await().until(() -> count(sleeping) > 0);
    Files.writeString(script, "create table newer ();");
    try (Connection operator = connect()) {
      execute(operator, "select pg_terminate_backend(pid) from " + sleeping);
    }
    assertThat(killed).failsWithin(Duration.ofSeconds(30));

    runWith(newer);

    assertThat(count("flyway_schema_history where version = '9999' and success")).isOne();
    assertThat(count("newer")).isZero();
  }

  private void runWith(Path newer) {
    Migrations.run(url, "classpath:db/migration", "filesystem:" + newer);
  }

  private Connection connect() throws SQLException {
    return ConnectOptions.forJdbc(DatabaseUrl.parse(url)).getConnection();
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void migrateFurther(Path folder) throws IOException {
    Files.writeString(folder.resolve("V9999__of_a_newer_release.sql"), "create table newer ();");
    runWith(folder);
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
      return scripts.filter(script -> script.getFileName().toString().startsWith("V")).count();
    }
  }

  private long count(String rows) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet counted = statement.executeQuery("select count(*) from " + rows)) {
      assertThat(counted.next()).isTrue();
      return counted.getLong(1);
    }
  }
}
