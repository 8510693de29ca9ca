package io.egress.database;

import static java.util.Objects.requireNonNull;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Transaction;
import java.util.function.Function;

/**
 * Repeats transactions that the database rolled back because of a deadlock. BEGIN is pipelined with
 * the first statement.
 */
public final class Transactions {
  private static final String SERIALIZATION_FAILURE = "40001";
  private static final String DEADLOCK_DETECTED = "40P01";
  private static final int TRIES_MAX = 5;

  private final Pool pool;

  public Transactions(Pool pool) {
    this.pool = requireNonNull(pool, "pool is null");
  }

  /** {@code work} may run several times and must have no side effects outside the database. */
  public <T> Future<T> run(Function<SqlConnection, Future<T>> work) {
    return attempt(work, 1);
  }

  /** For work that must not be repeated. */
  public static <T> Future<T> once(Pool pool, Function<SqlConnection, Future<T>> work) {
    return LostConnections.with(
        pool,
        connection -> {
          Future<Transaction> begun = connection.begin();
          Future<T> worked = begunWork(connection, work);
          return begun.compose(tx -> worked.transform(result -> end(tx, result)));
        });
  }

  private <T> Future<T> attempt(Function<SqlConnection, Future<T>> work, int attempt) {
    return once(pool, work)
        .recover(
            failure ->
                attempt < TRIES_MAX && mayRunAgain(failure)
                    ? attempt(work, attempt + 1)
                    : Future.failedFuture(failure));
  }

  private static <T> Future<T> begunWork(
      SqlConnection connection, Function<SqlConnection, Future<T>> work) {
    try {
      return work.apply(connection);
    } catch (RuntimeException failure) {
      return Future.failedFuture(failure);
    }
  }

  private static <T> Future<T> end(Transaction tx, AsyncResult<T> worked) {
    return worked.succeeded()
        ? tx.commit().map(committed -> worked.result())
        : tx.rollback().transform(ended -> Future.failedFuture(worked.cause()));
  }

  private static boolean mayRunAgain(Throwable failure) {
    return failure instanceof PgException refused
        && (SERIALIZATION_FAILURE.equals(refused.getSqlState())
            || DEADLOCK_DETECTED.equals(refused.getSqlState()));
  }
}
