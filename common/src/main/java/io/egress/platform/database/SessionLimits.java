package io.egress.platform.database;

import static java.util.Objects.requireNonNull;

import io.egress.platform.outage.Startup;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's timeouts for statements, locks and transactions. A pooler in transaction mode does
 * not keep them per session, and others may drop them: in these cases they must be settings of the
 * role.
 */
public final class SessionLimits {
  private static final Logger log = LoggerFactory.getLogger(SessionLimits.class);

  /** A server that does not support a limit has no row for it. */
  private static final String MISSING =
      """
      select name, current_user as role, current_database() as database from pg_settings
      where setting = '0'
        and name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')
      order by name
      """;

  private SessionLimits() {}

  /**
   * Fails if a limit is missing, and says how to set it. Waits for a server that is unavailable.
   */
  public static Future<Void> require(Vertx vertx, Pool pool, DatabaseSettings settings) {
    return new Startup(vertx, log, "PostgreSQL", Unavailability::isCauseOf)
        .await(() -> check(pool, settings));
  }

  private static Future<Void> check(Pool pool, DatabaseSettings settings) {
    return pool.query(MISSING)
        .execute()
        .compose(missing ->
            missing.size() == 0
                ? Future.succeededFuture()
                : Future.failedFuture(unlimited(missing, settings.timeouts())));
  }

  private static IllegalStateException unlimited(
      RowSet<Row> missing, DatabaseSettings.Timeouts timeouts) {
    Map<String, Duration> wanted = new LinkedHashMap<>();
    wanted.put("statement_timeout", timeouts.statement());
    wanted.put("lock_timeout", timeouts.lock());
    wanted.put("idle_in_transaction_session_timeout", timeouts.idleTransaction());
    wanted.put("transaction_timeout", timeouts.transaction());
    List<String> statements = new ArrayList<>();
    for (Row row : missing) {
      String name = row.getString("name");
      statements.add(
          "alter role \"%s\" in database \"%s\" set %s = '%dms';"
              .formatted(
                  row.getString("role"),
                  row.getString("database"),
                  name,
                  requireNonNull(wanted.get(name)).toMillis()));
    }
    return new IllegalStateException(
        "PostgreSQL would not end the transaction of a process that vanished. Behind a pooler, limits"
            + " must be settings of the role: run \""
            + String.join(" ", statements)
            + "\" and have the pooler reconnect (PgBouncer: RECONNECT)");
  }
}
