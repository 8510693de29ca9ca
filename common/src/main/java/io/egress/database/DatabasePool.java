package io.egress.database;

import io.egress.settings.DatabaseSettings;
import io.egress.settings.DatabaseUrl;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The one way to PostgreSQL: prepared statements are kept, and everything is bounded in time, most
 * of it by the server, so that a process which vanishes holds neither a lock nor a transaction for
 * long.
 */
public final class DatabasePool {
  private static final int WAITERS_MAX = 10_000;
  private static final int CONNECTION_WAIT_SECONDS = 10;
  private static final int IDLE_MINUTES = 5;
  private static final int PIPELINED_MAX = 16;

  /** The server gives up a peer that has been silent for about half a minute. */
  private static final Map<String, String> KEEPALIVE =
      Map.of(
          "tcp_keepalives_idle", "10",
          "tcp_keepalives_interval", "5",
          "tcp_keepalives_count", "3",
          "tcp_user_timeout", "25000");

  /** A connection without an answer for this long beyond the statement timeout is cut off. */
  private static final Duration ANSWER_GRACE = Duration.ofSeconds(5);

  /** PostgreSQL 17 and later; earlier servers refuse a connection that asks for it. */
  private static final String LIMIT_TRANSACTIONS =
      """
      select set_config(name, $1, false) from pg_settings where name = 'transaction_timeout'
      """;

  /**
   * Every statement finds its rows by index, even if its plan was cached while the tables were
   * empty: such a plan would read and sort whole tables. Planning on every execution would cost a
   * sixth of the database's time. Disabled plan types get an inflated cost, which would trigger
   * JIT.
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
    DatabaseSettings.Timeouts timeouts = settings.timeouts();
    Map<String, String> session = connect.getProperties();
    session.put("application_name", "egress");
    session.put("statement_timeout", millis(timeouts.statement()));
    session.put("lock_timeout", millis(timeouts.lock()));
    session.put("idle_in_transaction_session_timeout", millis(timeouts.idleTransaction()));
    session.putAll(KEEPALIVE);
    session.putAll(PLANS);
    NetClientOptions net =
        new NetClientOptions()
            .setTcpKeepAlive(true)
            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
            .setReadIdleTimeout((int) timeouts.statement().plus(ANSWER_GRACE).toMillis());
    String transactionMillis = millis(timeouts.transaction());
    PoolOptions pool =
        new PoolOptions()
            .setName(name)
            .setMaxSize(size)
            .setMaxWaitQueueSize(WAITERS_MAX)
            .setConnectionTimeout(CONNECTION_WAIT_SECONDS)
            .setConnectionTimeoutUnit(TimeUnit.SECONDS)
            .setIdleTimeout(IDLE_MINUTES)
            .setIdleTimeoutUnit(TimeUnit.MINUTES);
    return PgBuilder.pool()
        .connectingTo(connect)
        .with(net)
        .with(pool)
        .withConnectHandler(
            connection ->
                connection
                    .preparedQuery(LIMIT_TRANSACTIONS)
                    .execute(Tuple.of(transactionMillis))
                    .eventually(connection::close))
        .using(vertx)
        .build();
  }

  private static String millis(Duration duration) {
    return Long.toString(duration.toMillis());
  }
}
