package io.egress.testing;

import io.egress.embedded.DatabaseAddress;
import io.egress.embedded.EmbeddedBackendException;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers shared by all tests of a JVM, started on first use and stopped with the JVM. {@code
 * EGRESS_TEST_DATABASE_URL} and {@code EGRESS_TEST_KAFKA_BOOTSTRAP} name existing servers instead;
 * {@code EGRESS_TEST_BACKENDS=testcontainers} runs them in containers. Each test uses a database
 * and a topic prefix of its own.
 */
public final class SharedBackends {
  private static final Logger log = LoggerFactory.getLogger(SharedBackends.class);
  private static final SecureRandom random = new SecureRandom();
  private static final int UNIQUE_BYTES = 6;

  private static final class Holder {
    static final SharedBackends INSTANCE = closedByTheJvm();

    /** Tests run side by side: what a thread throws is no matter of the test that then waits. */
    private static SharedBackends closedByTheJvm() {
      Awaitility.doNotCatchUncaughtExceptionsByDefault();
      SharedBackends backends =
          new SharedBackends(
              List.of(
                  new EnvironmentSource(System.getenv()),
                  ContainerSource.of(System.getenv()),
                  new EmbeddedSource()));
      Runtime.getRuntime().addShutdownHook(new Thread(backends::close, "shared-backends-close"));
      return backends;
    }
  }

  private final List<BackendSource> sources;
  private final List<String> databases = new ArrayList<>();
  private BackendSource.@Nullable Server postgres;
  private @Nullable String migrated;
  private BackendSource.@Nullable Server kafka;

  SharedBackends(List<BackendSource> sources) {
    this.sources = sources;
  }

  public static SharedBackends get() {
    return Holder.INSTANCE;
  }

  /** The URL of a new, empty database for one test. */
  public synchronized String freshDatabase() {
    return create(DatabaseAddress.EMPTY);
  }

  /**
   * The URL of a new database for one test, in the state in which {@code migrate} leaves an empty
   * one. It is called once per JVM; further databases are copies.
   *
   * @param migrate receives a URL and must close its connections
   */
  public synchronized String freshDatabase(Consumer<String> migrate) {
    if (migrated == null) {
      String url = create(DatabaseAddress.EMPTY);
      migrate.accept(url);
      migrated = DatabaseAddress.parse(url).name();
    }
    return create(migrated);
  }

  private String create(String template) {
    if (postgres == null) {
      postgres = first(BackendSource::postgres);
    }
    DatabaseAddress server = DatabaseAddress.parse(postgres.address());
    String name = "egress_test_" + unique();
    try {
      server.copyDatabase(name, template);
    } catch (SQLException failure) {
      throw new EmbeddedBackendException("No database in " + server + ": " + failure, failure);
    }
    databases.add(name);
    return server.named(name).url();
  }

  public synchronized String kafkaBootstrap() {
    if (kafka == null) {
      kafka = first(BackendSource::kafka);
    }
    return kafka.address();
  }

  /** A unique prefix of topic and group names. */
  public String freshPrefix() {
    return "test-" + unique() + ".";
  }

  private static String unique() {
    byte[] bytes = new byte[UNIQUE_BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private BackendSource.Server first(
      Function<BackendSource, Optional<BackendSource.Server>> server) {
    return sources.stream()
        .flatMap(source -> server.apply(source).stream())
        .findFirst()
        .orElseThrow(() -> new EmbeddedBackendException("No source of servers is available"));
  }

  synchronized void close() {
    if (postgres != null) {
      dropDatabases(postgres);
      postgres.close();
      postgres = null;
      migrated = null;
    }
    if (kafka != null) {
      kafka.close();
      kafka = null;
    }
  }

  private void dropDatabases(BackendSource.Server server) {
    if (!server.outlivesTests()) {
      return;
    }
    DatabaseAddress address = DatabaseAddress.parse(server.address());
    for (String database : databases) {
      try {
        address.dropDatabase(database);
      } catch (SQLException failure) {
        log.warn("Cannot drop database {} at {}: {}", database, address, failure.toString());
      }
    }
  }
}
