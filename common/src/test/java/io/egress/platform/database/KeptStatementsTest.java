package io.egress.platform.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.testing.SharedBackends;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeptStatementsTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final String LONG = "select 1 -- " + "long ".repeat(10_000);

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(20, TimeUnit.SECONDS);
  }

  /** The client's own limit is 2,048 characters; a longer one would be planned at each use. */
  @Test
  void aStatementOfAnyLengthIsPreparedOnce() throws Exception {
    Pool pool =
        Database.pool(
            vertx,
            new DatabaseSettings(
                SharedBackends.get().freshDatabase(),
                null,
                8,
                DatabaseSettings.Pooler.NONE,
                null,
                new DatabaseSettings.Timeouts(LIMIT, LIMIT, LIMIT, LIMIT)),
            "test",
            1);
    Integer kept =
        pool.preparedQuery(LONG)
            .execute()
            .compose(_ ->
                pool.query(
                        "select count(*)::int from pg_prepared_statements where statement like 'select 1 -- %'")
                    .execute())
            .map(rows -> rows.iterator().next().getInteger(0))
            .await(20, TimeUnit.SECONDS);

    assertThat(kept).isEqualTo(1);
  }
}
