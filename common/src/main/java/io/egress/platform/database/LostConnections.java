package io.egress.platform.database;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs several statements on one connection of a pool. */
public final class LostConnections {
  private static final Logger log = LoggerFactory.getLogger(LostConnections.class);

  private LostConnections() {}

  /** The connection is returned to the pool when the future of {@code work} completes. */
  public static <T> Future<T> with(Pool pool, Function<SqlConnection, Future<T>> work) {
    return pool.withConnection(connection -> work.apply(guarded(connection)));
  }

  /**
   * Without a handler the client prints the stack trace to stderr. The pending statements fail,
   * too.
   */
  static SqlConnection guarded(SqlConnection connection) {
    return connection.exceptionHandler(
        broken -> log.debug("Lost a connection to PostgreSQL: {}", broken.toString()));
  }
}
