package io.egress.database;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Several statements on one connection of a pool. */
public final class LostConnections {
  private static final Logger log = LoggerFactory.getLogger(LostConnections.class);

  private LostConnections() {}

  /** The connection goes back to the pool when the future of {@code work} is complete. */
  public static <T> Future<T> with(Pool pool, Function<SqlConnection, Future<T>> work) {
    return pool.withConnection(
        connection -> {
          // Without a handler the client prints the stack trace to stderr. What was asked fails
          // too.
          connection.exceptionHandler(
              broken -> log.debug("A connection to PostgreSQL broke: {}", broken.toString()));
          return work.apply(connection);
        });
  }
}
