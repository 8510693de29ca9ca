package io.egress.platform.database;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.testing.SharedBackends;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.sqlclient.Pool;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Connections to PostgreSQL that are reset in the middle of a transaction. */
@Isolated("listens to System.err")
class LostConnectionsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Vertx vertx = Vertx.vertx();
  private final Vertx proxying = Vertx.vertx();
  private final Set<NetSocket> accepted = ConcurrentHashMap.newKeySet();
  private final PrintStream stderr = System.err;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private Pool pool;

  @BeforeEach
  void open() throws Exception {
    URI database = URI.create(SharedBackends.get().freshDatabase());
    // Lingering for no time makes a close a reset.
    NetServer proxy =
        proxying
            .createNetServer(new NetServerOptions().setSoLinger(0))
            .connectHandler(client -> join(client, database.getPort()))
            .listen(0, "127.0.0.1")
            .await(20, TimeUnit.SECONDS);
    String proxied =
        database.toString().replace(":" + database.getPort() + "/", ":" + proxy.actualPort() + "/");
    pool =
        Database.pool(
            vertx,
            new DatabaseSettings(
                proxied,
                null,
                8,
                DatabaseSettings.Pooler.NONE,
                null,
                new DatabaseSettings.Timeouts(PATIENCE, PATIENCE, PATIENCE, PATIENCE)),
            "test",
            2);
    System.setErr(new PrintStream(said, true, UTF_8));
  }

  @AfterEach
  void close() throws Exception {
    System.setErr(stderr);
    pool.close().await(20, TimeUnit.SECONDS);
    vertx.close().await(20, TimeUnit.SECONDS);
    proxying.close().await(20, TimeUnit.SECONDS);
  }

  @Test
  void failPendingQueriesAndLogNothing() throws Exception {
    Future<?> asked =
        LostConnections.with(
            pool,
            connection -> {
              resetAll();
              // This event loop has not seen the reset yet: writing is what fails.
              return connection.query("select 1").execute().mapEmpty();
            });

    assertThat(
            asked
                .transform(ended -> Future.succeededFuture(ended.failed()))
                .await(20, TimeUnit.SECONDS))
        .isTrue();
    assertThat(said.toString(UTF_8)).isEmpty();
  }

  /** Returns when all connections are reset. */
  private void resetAll() {
    CountDownLatch reset = new CountDownLatch(accepted.size());
    accepted.forEach(socket -> socket.close().onComplete(_ -> reset.countDown()));
    try {
      assertThat(reset.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private void join(NetSocket client, int port) {
    client.pause();
    accepted.add(client);
    proxying
        .createNetClient()
        .connect(port, "127.0.0.1")
        .onSuccess(server -> {
          client.pipeTo(server);
          server.pipeTo(client);
        });
  }
}
