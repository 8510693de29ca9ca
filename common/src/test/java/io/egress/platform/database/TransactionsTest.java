package io.egress.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.testing.SharedBackends;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All statements or none, although COMMIT is sent before the last ones have been answered. */
class TransactionsTest {
  private final Vertx vertx = Vertx.vertx();
  private final Pool pool =
      PgBuilder.pool()
          .connectingTo(
              PgConnectOptions.fromUri(SharedBackends.get().freshDatabase())
                  .setCachePreparedStatements(true))
          .with(new PoolOptions().setMaxSize(1))
          .using(vertx)
          .build();
  private final Transactions transactions = new Transactions(pool);

  @BeforeEach
  void createTable() throws Exception {
    await(pool.query("create table rows (n int primary key)").execute());
  }

  @AfterEach
  void close() throws Exception {
    await(pool.close());
    await(vertx.close());
  }

  /** None of them was prepared on the connection before. */
  @Test
  void theLastStatementsAreCommittedTogether() throws Exception {
    String done =
        await(
            transactions.runToLast(tx ->
                insert(tx, 1)
                    .map(_ ->
                        () -> Future.join(insert(tx, 2), insertAnother(tx, 3)).map("inserted"))));

    assertThat(done).isEqualTo("inserted");
    assertThat(rows()).isEqualTo(3);
    assertThat(
            await(pool.query("select pg_current_xact_id_if_assigned()").execute())
                .iterator()
                .next()
                .getValue(0))
        .as("no transaction is open")
        .isNull();
  }

  /** What a future failed with may be a checked exception, which its caller cannot declare. */
  @Test
  void aCallIsRolledBackWhateverItsWorkThrows() throws Exception {
    assertThatThrownBy(() ->
            transactions.call(tx -> {
              insert(tx, 1).await();
              return Future.failedFuture(new IOException("checked")).await();
            }))
        .hasMessage("checked");

    assertThat(rows()).isZero();
    assertThat(transactions.<Integer>call(tx -> insert(tx, 1).await())).isOne();
    assertThat(rows()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void oneThatFailsUndoesAll(int failing) throws Exception {
    int[] numbers = {1, 2, 3};
    numbers[failing] = numbers[failing == 0 ? 1 : 0];
    Future<Object> run =
        transactions.runToLast(tx ->
            insert(tx, numbers[0])
                .map(_ ->
                    () ->
                        Future.join(insert(tx, numbers[1]), insertAnother(tx, numbers[2]))
                            .mapEmpty()));

    assertThatThrownBy(() -> await(run)).isInstanceOf(PgException.class);
    assertThat(rows()).isZero();
    await(transactions.run(tx -> insert(tx, 9)));
    assertThat(rows()).isOne();
  }

  @Test
  void whatThrowsUndoesAll() throws Exception {
    Future<Object> early =
        transactions.runToLast(tx -> {
          insert(tx, 1);
          throw new IllegalStateException("early");
        });
    Future<Object> late =
        transactions.runToLast(tx ->
            insert(tx, 1)
                .map(_ ->
                    () -> {
                      insert(tx, 2);
                      throw new IllegalStateException("late");
                    }));

    assertThatThrownBy(() -> await(early)).hasMessageContaining("early");
    assertThatThrownBy(() -> await(late)).hasMessageContaining("late");
    assertThat(rows()).isZero();
  }

  @Test
  void deadlocksAreRepeated() throws Exception {
    await(transactions.run(tx -> insert(tx, 1)));
    AtomicInteger tries = new AtomicInteger();

    await(
        transactions.run(tx ->
            tries.incrementAndGet() < 3
                ? tx.query("do $$ begin raise exception 'again' using errcode = '40P01'; end $$")
                    .execute()
                    .mapEmpty()
                : insert(tx, 2)));

    assertThat(tries).hasValue(3);
    assertThat(rows()).isEqualTo(2);
  }

  private static Future<Integer> insert(SqlConnection tx, int n) {
    return tx.preparedQuery("insert into rows values ($1)")
        .execute(Tuple.of(n))
        .map(rows -> rows.rowCount());
  }

  private static Future<Integer> insertAnother(SqlConnection tx, int n) {
    return tx.preparedQuery("insert into rows (n) values ($1)")
        .execute(Tuple.of(n))
        .map(rows -> rows.rowCount());
  }

  private int rows() throws Exception {
    return await(pool.query("select n from rows").execute()).size();
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.await(20, TimeUnit.SECONDS);
  }
}
