package io.egress.platform.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.testing.SharedBackends;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class IdleConnectionsTest {
  private static final Duration STATEMENT_MAX = Duration.ofSeconds(1);
  private static final int IDLE_MILLIS_MAX = 14_000;
  private static final int APART_MILLIS = 500;
  private static final String ALLOWED = "select pg_sleep(0.7)";

  private final String url = SharedBackends.get().freshDatabase();
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(20, TimeUnit.SECONDS);
  }

  /** A connection that is idle for too long may be cut off, but not while it is in use again. */
  @Test
  @Tag("full")
  void answersHoweverLongAConnectionWasIdle() throws Exception {
    List<Future<?>> answers = new ArrayList<>();
    for (int idle = APART_MILLIS; idle <= IDLE_MILLIS_MAX; idle += APART_MILLIS) {
      answers.add(answersAfter(idle));
    }
    Future.join(answers).otherwiseEmpty().await(30, TimeUnit.SECONDS);

    assertThat(answers).allSatisfy(answer -> assertThat(answer.cause()).isNull());
  }

  private Future<?> answersAfter(int idleMillis) {
    Pool pool =
        Database.pool(
            vertx,
            new DatabaseSettings(
                url,
                null,
                8,
                DatabaseSettings.Pooler.NONE,
                null,
                new DatabaseSettings.Timeouts(
                    STATEMENT_MAX, STATEMENT_MAX, STATEMENT_MAX, STATEMENT_MAX)),
            "test",
            1);
    return pool.query(ALLOWED)
        .execute()
        .compose(_ -> vertx.timer(idleMillis, TimeUnit.MILLISECONDS))
        .compose(_ -> pool.query(ALLOWED).execute())
        .compose(_ -> pool.query(ALLOWED).execute())
        .eventually(pool::close);
  }
}
