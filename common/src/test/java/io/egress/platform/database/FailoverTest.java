package io.egress.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.egress.embedded.Durability;
import io.egress.embedded.PostgresServer;
import io.egress.testing.TcpProxy;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Verticle;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pools follow the server that takes writes: by its read-only state, behind a proxy, by hosts. */
class FailoverTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String READ_ONLY = "set default_transaction_read_only = on";
  private static final String WRITABLE = "reset default_transaction_read_only";

  private static Path folder = Path.of("");
  private static PostgresServer one;
  private static PostgresServer other;

  private final Vertx vertx = Vertx.vertx();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @BeforeAll
  static void start(@TempDir Path temporary) {
    folder = temporary;
    one = PostgresServer.start(folder.resolve("one"), Durability.UNSYNCED);
    Migrations.run(one.databaseUrl());
    one.query("create table written (n int)");
    other = PostgresServer.startStandby(folder.resolve("other"), one);
  }

  @AfterAll
  static void stop() {
    other.close();
    one.close();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    vertx.close().await(20, TimeUnit.SECONDS);
  }

  /** Vert.x closes with a verticle what is opened in its context. */
  @Test
  void aPoolOutlivesTheVerticleThatUsedItFirst() throws Exception {
    Pool pool = database(one.databaseUrl()).pool("shared", 2);
    Verticle verticle =
        new AbstractVerticle() {
          @Override
          public void start(Promise<Void> started) {
            pool.query("select 1").execute().<Void>mapEmpty().onComplete(started);
          }
        };
    String id = vertx.deployVerticle(verticle).await(20, TimeUnit.SECONDS);

    vertx.undeploy(id).await(20, TimeUnit.SECONDS);

    read(pool);
  }

  @Test
  void refusesAServerThatIsReadOnlyAndReturnsWhenItIsNot() throws Exception {
    Database database = database(one.databaseUrl());
    Pool writing = database.pool("writing", 2);
    Pool reading = database.pool("reading", 2);
    write(writing);
    read(reading);

    one.alter(READ_ONLY);
    try {
      await().until(() -> failure(writing) instanceof NoServerException);
      assertThat(failure(writing))
          .satisfies(failure -> assertThat(Unavailability.isCauseOf(failure)).isTrue())
          .hasToString("127.0.0.1:%d: the server is a standby or read-only".formatted(one.port()));
      assertThat(reading.query("select 1").execute().transform(FailoverTest::failed).await())
          .as("a pool that only reads leaves, too")
          .isTrue();
    } finally {
      one.alter(WRITABLE);
    }
    await().until(() -> succeeds(writing));
    read(reading);
  }

  /** The case of a demoted primary that is still alive. */
  @Test
  void leavesAServerWithAllConnectionsWhenTheProxyLeadsToAnother() throws Exception {
    try (PostgresServer former =
            PostgresServer.start(folder.resolve("former"), Durability.UNSYNCED);
        PostgresServer promoted = PostgresServer.startStandby(folder.resolve("promoted"), former)) {
      former.query("create table written (n int)");
      TcpProxy proxy = open(TcpProxy.open(former.port()));
      Database database = database(proxy.url(former.databaseUrl()));
      Pool writing = database.pool("writing", 4);
      Pool reading = database.pool("reading", 4);
      SqlConnection held = reading.getConnection().await();
      write(writing);

      promoted.query("select pg_promote()");
      proxy.leadTo(promoted.port());
      former.alter(READ_ONLY);

      await().until(() -> succeeds(writing));
      assertThat(serverOf(writing)).isEqualTo(promoted.port());
      await().until(() -> serverOf(reading) == promoted.port());
      assertThat(held.query("select 1").execute().transform(FailoverTest::failed).await())
          .as("a connection in use is closed, too")
          .isTrue();
    }
  }

  @Test
  void usesTheHostThatTakesWrites() throws Exception {
    String hosts = "127.0.0.1:%d,127.0.0.1:%d".formatted(other.port(), one.port());

    Pool pool = database(urlOf(hosts, "?target_session_attrs=read-write")).pool("test", 2);

    write(pool);
    assertThat(serverOf(pool)).isEqualTo(one.port());
    Migrations.run(urlOf(hosts, "?connect_timeout=3"));
    assertThat(one.query("select count(*) from captures")).isEqualTo("0");
  }

  @Test
  void waitsForAPrimaryIfThereIsOnlyAStandby() {
    assertThat(failure(database(other.databaseUrl()).pool("test", 2)))
        .hasToString("127.0.0.1:%d: the server is a standby or read-only".formatted(other.port()));
    assertThatThrownBy(() -> Migrations.run(other.databaseUrl()))
        .satisfies(failure -> assertThat(Unavailability.isBehind(failure)).isTrue());
  }

  @Test
  void namesEachHostThatCannotBeUsed() {
    TcpProxy refusing = open(TcpProxy.open(one.port()));
    refusing.refuse(true);
    String hosts = "127.0.0.1:%d,127.0.0.1:%d".formatted(refusing.port(), other.port());

    assertThat(failure(database(urlOf(hosts, "")).pool("test", 2)))
        .hasMessageContaining("127.0.0.1:" + refusing.port() + ": ")
        .hasMessageEndingWith(
            "127.0.0.1:%d: the server is a standby or read-only".formatted(other.port()));
  }

  @Test
  void failsAtOnceAfterAWrongPassword() {
    Pool pool = database(one.databaseUrl().replace("egress:", "egress:wrong")).pool("test", 2);

    assertThat(failure(pool)).hasMessageContaining("28P01");
    assertThat(Unavailability.isCauseOf(failure(pool))).isFalse();
  }

  private Database database(String url) {
    return Database.of(
        vertx,
        new DatabaseSettings(
            url,
            null,
            8,
            DatabaseSettings.Pooler.NONE,
            null,
            new DatabaseSettings.Timeouts(PATIENCE, PATIENCE, PATIENCE, PATIENCE)));
  }

  private <T extends AutoCloseable> T open(T closed) {
    opened.add(closed);
    return closed;
  }

  private static String urlOf(String hosts, String query) {
    return one.databaseUrl().replace("127.0.0.1:" + one.port(), hosts) + query;
  }

  private static void write(Pool pool) throws Exception {
    pool.query("insert into written values (1)").execute().await(20, TimeUnit.SECONDS);
  }

  private static void read(Pool pool) throws Exception {
    pool.preparedQuery("select 1").execute().await(20, TimeUnit.SECONDS);
  }

  private static boolean succeeds(Pool pool) {
    return !pool.query("insert into written values (1)")
        .execute()
        .transform(FailoverTest::failed)
        .await();
  }

  private static Throwable failure(Pool pool) {
    return pool.query("insert into written values (1)")
        .execute()
        .transform(ended -> Future.succeededFuture(ended.cause()))
        .await();
  }

  private static Future<Boolean> failed(io.vertx.core.AsyncResult<?> ended) {
    return Future.succeededFuture(ended.failed());
  }

  private static int serverOf(Pool pool) {
    return pool.query("select inet_server_port()")
        .execute()
        .map(rows -> rows.iterator().next().getInteger(0))
        .otherwise(0)
        .await();
  }
}
