package io.egress.platform.database;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Repeats transactions that the database rolled back because of a deadlock. BEGIN is pipelined with
 * the first statement, and COMMIT with the {@link Last} ones.
 */
public final class Transactions {
  private static final String SERIALIZATION_FAILURE = "40001";
  private static final String DEADLOCK_DETECTED = "40P01";
  private static final int TRIES_MAX = 5;

  /**
   * The last statements of a transaction. They are sent together with COMMIT, which takes effect
   * only if all of them succeed. Whatever they lock is held for as long as the server takes, not
   * for as long as this process does.
   */
  public interface Last<T> {
    Future<T> send();
  }

  private final Pool pool;

  public Transactions(Pool pool) {
    this.pool = pool;
  }

  /** {@code work} may run several times and must have no side effects outside the database. */
  public <T> Future<T> run(Function<SqlConnection, Future<T>> work) {
    return runToLast(tx -> work.apply(tx).map(result -> () -> Future.succeededFuture(result)));
  }

  /** Like {@link #run}, for work that says what its last statements are. */
  public <T> Future<T> runToLast(Function<SqlConnection, Future<Last<T>>> work) {
    return attempt(work, 1);
  }

  /** For work that must not be repeated. */
  public static <T> Future<T> once(Pool pool, Function<SqlConnection, Future<T>> work) {
    return onceToLast(
        pool, tx -> work.apply(tx).map(result -> () -> Future.succeededFuture(result)));
  }

  /** Like {@link #run}, for work of a virtual thread. */
  public <T> T call(Function<SqlConnection, T> work) {
    for (int attempt = 1; ; attempt++) {
      try {
        return callOnce(pool, work);
      } catch (PgException refused) {
        if (attempt == TRIES_MAX || !mayRunAgain(refused)) {
          throw refused;
        }
      }
    }
  }

  /** Like {@link #once}, for work of a virtual thread. */
  public static <T> T callOnce(Pool pool, Function<SqlConnection, T> work) {
    SqlConnection tx = LostConnections.guarded(pool.getConnection().await());
    try {
      Future<?> begun = tx.query("BEGIN").execute();
      T result;
      try {
        result = work.apply(tx);
        begun.await();
      } catch (Throwable failure) {
        // Not only unchecked ones: what a future failed with is thrown as it is.
        tx.query("ROLLBACK").execute().otherwiseEmpty().await();
        throw failure;
      }
      tx.query("COMMIT").execute().await();
      return result;
    } finally {
      tx.close();
    }
  }

  private <T> Future<T> attempt(Function<SqlConnection, Future<Last<T>>> work, int attempt) {
    return onceToLast(pool, work)
        .recover(failure ->
            attempt < TRIES_MAX && mayRunAgain(failure)
                ? attempt(work, attempt + 1)
                : Future.failedFuture(failure));
  }

  private static <T> Future<T> onceToLast(
      Pool pool, Function<SqlConnection, Future<Last<T>>> work) {
    return LostConnections.with(
        pool,
        tx -> {
          Future<?> begun = tx.query("BEGIN").execute();
          Future<Last<T>> worked = caught(() -> work.apply(tx));
          return begun.compose(_ -> worked.transform(last -> end(tx, last)));
        });
  }

  private static <T> Future<T> end(SqlConnection tx, AsyncResult<Last<T>> last) {
    return last.succeeded() ? commit(tx, last.result()) : rollback(tx, last.cause());
  }

  private static <T> Future<T> commit(SqlConnection tx, Last<T> last) {
    Future<T> sent;
    try {
      sent = last.send();
    } catch (RuntimeException failure) {
      return rollback(tx, failure);
    }
    Future<?> committed = tx.query("COMMIT").execute();
    return sent.transform(done ->
        committed.compose(_ -> done.succeeded() ? sent : Future.failedFuture(done.cause())));
  }

  private static <T> Future<T> rollback(SqlConnection tx, Throwable failure) {
    return tx.query("ROLLBACK").execute().transform(_ -> Future.failedFuture(failure));
  }

  private static <T> Future<T> caught(Supplier<Future<T>> work) {
    try {
      return work.get();
    } catch (RuntimeException failure) {
      return Future.failedFuture(failure);
    }
  }

  private static boolean mayRunAgain(Throwable failure) {
    return failure instanceof PgException refused
        && (SERIALIZATION_FAILURE.equals(refused.getSqlState())
            || DEADLOCK_DETECTED.equals(refused.getSqlState()));
  }
}
