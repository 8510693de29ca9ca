package io.egress.database;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.function.Function;

/** Transactions that begin anew when the database chose them as the victim of a deadlock. */
public final class Transactions {
  private static final String SERIALIZATION_FAILURE = "40001";
  private static final String DEADLOCK_DETECTED = "40P01";
  private static final int TRIES_MAX = 5;

  private final Pool pool;

  public Transactions(Pool pool) {
    this.pool = requireNonNull(pool, "pool is null");
  }

  /** {@code work} may run several times and must have no effect outside the database. */
  public <T> Future<T> run(Function<SqlConnection, Future<T>> work) {
    return attempt(work, 1);
  }

  private <T> Future<T> attempt(Function<SqlConnection, Future<T>> work, int attempt) {
    return pool.withTransaction(work)
        .recover(
            failure ->
                attempt < TRIES_MAX && mayRunAgain(failure)
                    ? attempt(work, attempt + 1)
                    : Future.failedFuture(failure));
  }

  private static boolean mayRunAgain(Throwable failure) {
    return failure instanceof PgException refused
        && (SERIALIZATION_FAILURE.equals(refused.getSqlState())
            || DEADLOCK_DETECTED.equals(refused.getSqlState()));
  }
}
