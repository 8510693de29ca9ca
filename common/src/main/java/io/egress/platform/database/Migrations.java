package io.egress.platform.database;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Migrates the schema. Any number of processes may do so at the same time: Flyway holds a database
 * lock.
 */
public final class Migrations {
  private static final Logger log = LoggerFactory.getLogger(Migrations.class);

  private Migrations() {}

  /** Fails if the database does not answer. */
  public static Future<Void> run(Vertx vertx, String url) {
    return vertx.executeBlocking(
        () -> {
          run(url);
          return null;
        },
        false);
  }

  /** Fails if the database does not answer. Closes its connections. */
  public static void run(String url) {
    PGSimpleDataSource source = ConnectOptions.forJdbc(DatabaseUrl.parse(url));
    int applied = migrate(source);
    if (applied > 0) {
      log.info("Applied {} migrations to the database", applied);
    }
  }

  /** What Flyway says of a failed connection is long, and speaks of Flyway. */
  private static int migrate(PGSimpleDataSource source) {
    try {
      return Flyway.configure().dataSource(source).load().migrate().migrationsExecuted;
    } catch (FlywayException failure) {
      Throwable cause = failure.getCause();
      if (cause != null && Unavailability.isCauseOf(cause)) {
        throw new NoServerException(String.valueOf(cause.getMessage()), cause, false);
      }
      throw failure;
    }
  }
}
