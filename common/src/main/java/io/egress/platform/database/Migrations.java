package io.egress.platform.database;

import io.egress.platform.environment.SettingsException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Migrates the schema. Any number of processes may do so at the same time: Flyway holds a database
 * lock.
 */
public final class Migrations {
  private static final Logger log = LoggerFactory.getLogger(Migrations.class);

  private static final String FOREIGN_SCHEMA =
      "EGRESS_DATABASE_URL: the schema of the database was created by an unreleased build;"
          + " start with an empty database and import the captures again,"
          + " or restore a backup of a released version";

  private static final String SCRIPTS = "classpath:db/migration";

  /** Kubernetes gives a start as long. */
  private static final Duration LOCKED_MAX = Duration.ofMinutes(5);

  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final String LOCK_TIMEOUT = "55P03";

  private Migrations() {}

  /**
   * Fails if the database does not answer, and with {@link SettingsException} if its migrations are
   * not those of this service.
   */
  public static Future<Void> run(Vertx vertx, String url) {
    return vertx.executeBlocking(
        () -> {
          run(url);
          return null;
        },
        false);
  }

  /** Whether the database lacks a migration of this service. */
  static boolean arePending(String url) {
    return Flyway.configure()
            .dataSource(ConnectOptions.forJdbc(DatabaseUrl.parse(url)))
            .locations(SCRIPTS)
            .load()
            .info()
            .pending()
            .length
        > 0;
  }

  /** Like {@link #run(Vertx, String)}. Closes its connections. */
  public static void run(String url) {
    run(url, SCRIPTS);
  }

  /** {@code locations} are of scripts, as Flyway names them. */
  static void run(String url, String... locations) {
    PGSimpleDataSource source = ConnectOptions.forJdbc(DatabaseUrl.parse(url));
    int applied = migrate(source, locations);
    if (applied > 0) {
      log.info("Applied {} migrations to the database", applied);
    }
  }

  /** A migration that cannot lock a table is rolled back, and tried again a little later. */
  private static int migrate(PGSimpleDataSource source, String... locations) {
    Flyway flyway = Flyway.configure().dataSource(source).locations(locations).load();
    long begun = System.nanoTime();
    while (true) {
      try {
        return migrate(flyway);
      } catch (FlywayException failure) {
        if (!isLocked(failure) || System.nanoTime() - begun > LOCKED_MAX.toNanos()) {
          throw failure;
        }
        log.warn(
            "A migration needs a table that another transaction holds; trying again."
                + " `egress database` shows the session");
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  /** Flyway's own messages are long, and speak of Flyway. */
  private static int migrate(Flyway flyway) {
    try {
      return flyway.migrate().migrationsExecuted;
    } catch (FlywayValidateException foreign) {
      log.debug("Flyway rejects the schema history", foreign);
      throw new SettingsException(List.of(FOREIGN_SCHEMA));
    } catch (FlywayException failure) {
      Throwable cause = failure.getCause();
      if (cause != null && Unavailability.isCauseOf(cause)) {
        throw new NoServerException(String.valueOf(cause.getMessage()), cause, false);
      }
      throw failure;
    }
  }

  private static boolean isLocked(FlywayException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException refused && LOCK_TIMEOUT.equals(refused.getSQLState())) {
        return true;
      }
    }
    return false;
  }
}
