package io.egress.database;

import io.egress.settings.DatabaseSettings;
import io.egress.settings.DatabaseUrl;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The one way to PostgreSQL: prepared statements kept, waiting bounded, statements limited in time.
 */
public final class DatabasePool {
  private static final int WAITERS_MAX = 10_000;
  private static final int CONNECTION_WAIT_SECONDS = 10;
  private static final int IDLE_MINUTES = 5;
  private static final int PIPELINED_MAX = 16;

  /**
   * Every statement finds its rows by index, whatever the tables held when it was planned: a plan
   * that was kept from an empty table would read and sort all of it. Planning each time would take
   * a sixth of the database's time. What PostgreSQL is kept from looks so dear to it that it would
   * compile it, where it cannot do without.
   */
  private static final Map<String, String> PLANS =
      Map.of(
          "plan_cache_mode", "force_generic_plan",
          "enable_seqscan", "off",
          "enable_hashjoin", "off",
          "enable_mergejoin", "off",
          "jit", "off");

  private DatabasePool() {}

  /** {@code name} is what the pool is measured under. */
  public static Pool open(Vertx vertx, DatabaseSettings settings, String name, int size) {
    PgConnectOptions connect =
        ConnectOptions.forPool(DatabaseUrl.parse(settings.url()))
            .setCachePreparedStatements(true)
            .setPipeliningLimit(PIPELINED_MAX)
            .setReconnectAttempts(0);
    connect
        .getProperties()
        .put("statement_timeout", Long.toString(settings.statementTimeout().toMillis()));
    connect.getProperties().put("application_name", "egress");
    connect.getProperties().putAll(PLANS);
    PoolOptions pool =
        new PoolOptions()
            .setName(name)
            .setMaxSize(size)
            .setMaxWaitQueueSize(WAITERS_MAX)
            .setConnectionTimeout(CONNECTION_WAIT_SECONDS)
            .setConnectionTimeoutUnit(TimeUnit.SECONDS)
            .setIdleTimeout(IDLE_MINUTES)
            .setIdleTimeoutUnit(TimeUnit.MINUTES);
    return PgBuilder.pool().connectingTo(connect).with(pool).using(vertx).build();
  }
}
