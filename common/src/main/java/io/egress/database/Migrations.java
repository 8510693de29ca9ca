package io.egress.database;

import io.egress.settings.DatabaseUrl;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import org.flywaydb.core.Flyway;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the schema up to date. Any number of processes may do so at once: Flyway holds a lock of
 * the database while it works.
 */
public final class Migrations {
  private static final Logger log = LoggerFactory.getLogger(Migrations.class);
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);
  private static final int CONNECT_RETRIES = 60;

  private Migrations() {}

  /** Waits about a minute for a database that does not answer yet. */
  public static Future<Void> run(Vertx vertx, String url) {
    return vertx.executeBlocking(
        () -> {
          migrate(ConnectOptions.forJdbc(DatabaseUrl.parse(url)));
          return null;
        },
        false);
  }

  private static void migrate(PGSimpleDataSource source) {
    int applied =
        Flyway.configure()
            .dataSource(source)
            .connectRetries(CONNECT_RETRIES)
            .connectRetriesInterval((int) RETRY_PAUSE.toSeconds())
            .load()
            .migrate()
            .migrationsExecuted;
    if (applied > 0) {
      log.info("Applied {} migrations to the database", applied);
    }
  }
}
