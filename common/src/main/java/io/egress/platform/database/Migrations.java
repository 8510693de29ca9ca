package io.egress.platform.database;

import io.egress.platform.environment.SettingsException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
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

  /** Like {@link #run(Vertx, String)}. Closes its connections. */
  public static void run(String url) {
    PGSimpleDataSource source = ConnectOptions.forJdbc(DatabaseUrl.parse(url));
    int applied = migrate(source);
    if (applied > 0) {
      log.info("Applied {} migrations to the database", applied);
    }
  }

  /** Flyway's own messages are long, and speak of Flyway. */
  private static int migrate(PGSimpleDataSource source) {
    try {
      return Flyway.configure().dataSource(source).load().migrate().migrationsExecuted;
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
}
