package io.egress.platform.database;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Creates pools of connections to one server. Prepared statements are cached, and everything has a
 * timeout, mostly enforced by the server, so that a process that vanishes does not hold a lock or a
 * transaction for long.
 */
final class ServerPool {
  private static final int WAITERS_MAX = 10_000;
  private static final int CONNECTION_WAIT_SECONDS = 10;

  /**
   * How long an unused connection is kept. The wait for an answer is measured from the previous
   * answer, so a connection kept for longer would be cut off while its next statement runs.
   */
  private static final Duration IDLE = Duration.ofSeconds(5);

  private static final Duration IDLE_CHECKS_APART = Duration.ofSeconds(1);
  private static final int PIPELINED_MAX = 16;

  /** The server closes a connection whose peer has been silent for about half a minute. */
  private static final Map<String, String> KEEPALIVE =
      Map.of(
          "tcp_keepalives_idle", "10",
          "tcp_keepalives_interval", "5",
          "tcp_keepalives_count", "3",
          "tcp_user_timeout", "25000");

  /** How much longer than a statement may take the client waits for its answer. */
  private static final Duration ANSWER_GRACE = Duration.ofSeconds(5);

  /**
   * Each statement is planned once per connection, which saves a sixth of the database's time under
   * load; {@link TableStatistics} keeps such plans good. Generic plans have inflated cost
   * estimates, which would trigger JIT.
   */
  private static final Map<String, String> PLANS =
      Map.of("plan_cache_mode", "force_generic_plan", "jit", "off");

  /**
   * A startup parameter sent by the client. PgBouncer rejects it, and it is PostgreSQL's default.
   */
  private static final String REFUSED_BY_POOLERS = "extra_float_digits";

  private ServerPool() {}

  /**
   * {@code name} is the label in metrics. {@code connected} closes each new connection once it may
   * be used.
   */
  static Pool open(
      Vertx vertx,
      DatabaseSettings settings,
      DatabaseUrl url,
      DatabaseUrl.Host host,
      PoolOptions pool,
      Handler<SqlConnection> connected) {
    PgConnectOptions server = ConnectOptions.forPool(url, host);
    server.setReconnectAttempts(0).getProperties().put("application_name", "egress");
    DatabaseSettings.Timeouts timeouts = settings.timeouts();
    if (settings.pooler() == DatabaseSettings.Pooler.NONE) {
      keepStatements(server, timeouts);
    } else {
      shareSessions(server);
    }
    Duration silence = timeouts.statement().plus(ANSWER_GRACE).plus(IDLE).plus(IDLE_CHECKS_APART);
    NetClientOptions net =
        new NetClientOptions()
            .setConnectTimeout((int) url.connectTimeout().toMillis())
            .setTcpKeepAlive(true)
            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
            .setReadIdleTimeout((int) silence.toMillis());
    return PgBuilder.pool()
        .connectingTo(server)
        .with(net)
        .with(pool)
        .using(vertx)
        .withConnectHandler(connected)
        .build();
  }

  static PoolOptions options(String name, int size) {
    return new PoolOptions()
        .setName(name)
        .setMaxSize(size)
        .setMaxWaitQueueSize(WAITERS_MAX)
        .setConnectionTimeout(CONNECTION_WAIT_SECONDS)
        .setConnectionTimeoutUnit(TimeUnit.SECONDS)
        .setPoolCleanerPeriod((int) IDLE_CHECKS_APART.toMillis())
        .setIdleTimeout((int) IDLE.toSeconds())
        .setIdleTimeoutUnit(TimeUnit.SECONDS);
  }

  private static void keepStatements(PgConnectOptions connect, DatabaseSettings.Timeouts timeouts) {
    connect
        .setCachePreparedStatements(true)
        .setPreparedStatementCacheSqlFilter(_ -> true)
        .setPipeliningLimit(PIPELINED_MAX);
    Map<String, String> session = connect.getProperties();
    session.put("statement_timeout", millis(timeouts.statement()));
    session.put("lock_timeout", millis(timeouts.lock()));
    session.put("idle_in_transaction_session_timeout", millis(timeouts.idleTransaction()));
    session.putAll(KEEPALIVE);
    session.putAll(PLANS);
  }

  /** The limits are settings of the role: see {@link SessionLimits}. */
  private static void shareSessions(PgConnectOptions connect) {
    connect.setUseLayer7Proxy(true).setCachePreparedStatements(false).setPipeliningLimit(1);
    connect.getProperties().remove(REFUSED_BY_POOLERS);
  }

  private static String millis(Duration duration) {
    return Long.toString(duration.toMillis());
  }
}
