package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.api.ApiApp;
import io.egress.dispatcher.DispatcherApp;
import io.egress.platform.database.Database;
import io.egress.settings.Settings;
import io.egress.testing.PgBouncer;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both roles behind PgBouncer in transaction mode. */
@Tag("full")
class PoolerTest {
  private static final int SERVER_CONNECTIONS = 4;

  private final Map<String, String> environment = BothRoles.environment();
  private final String databaseUrl = requireNonNull(environment.get("EGRESS_DATABASE_URL"));
  private final Vertx vertx = Vertx.vertx();
  private final Pool database =
      PgBuilder.pool().connectingTo(PgConnectOptions.fromUri(databaseUrl)).using(vertx).build();

  @AfterEach
  void close() {
    done(vertx.close());
  }

  @Test
  void everythingWorks(@TempDir Path folder) throws Exception {
    assumeTrue(PgBouncer.isInstalled(), "pgbouncer is not installed");
    limitTransactions();
    try (PgBouncer pooler = PgBouncer.start(folder, databaseUrl, SERVER_CONNECTIONS);
        TenantWorld roles = new TenantWorld(through(pooler))) {
      TenantWorld.Tenant tenant = roles.tenant(UUID.randomUUID());
      roles.endpoint(tenant.workspace(), "flaky", false);
      UUID first = roles.passThrough(tenant);
      CompletableFuture<String> next = roles.nextCapture(tenant);
      UUID second = roles.passThrough(tenant);
      assertThat(next.get()).contains(second.toString());
      IntStream.range(0, 24).parallel().forEach(_ -> roles.passThrough(tenant));
      UUID last = roles.passThrough(tenant);
      roles.endpoint(tenant.workspace(), "history", true);
      await().until(() -> roles.isDelivered("flaky", last));
      await().until(() -> roles.isDelivered("history", first));
      await().until(() -> roles.isDelivered("history", last));

      roles.rebuildQueue();
      assertThat(query(CONNECTIONS).iterator().next().getLong(0))
          .isBetween(1L, (long) SERVER_CONNECTIONS);
      assertThat(clients(pooler)).isGreaterThan(SERVER_CONNECTIONS + 1);
    }
  }

  @Test
  void anAbandonedTransactionIsEnded(@TempDir Path folder) throws Exception {
    assumeTrue(PgBouncer.isInstalled(), "pgbouncer is not installed");
    limitTransactions();
    try (PgBouncer pooler = PgBouncer.start(folder, databaseUrl, SERVER_CONNECTIONS)) {
      Pool pool = Database.pool(vertx, Settings.from(through(pooler)).database(), "test", 1);
      done(
          pool.getConnection()
              .compose(connection ->
                  connection
                      .begin()
                      .compose(
                          _ -> connection.query("select pg_advisory_xact_lock(1)").execute())));

      await()
          .until(() ->
              query(
                          "select from pg_stat_activity where state = 'idle in transaction' and datname = current_database()")
                      .size()
                  == 0);
    }
  }

  @Test
  void transactionsWithoutALimitEndTheStart(@TempDir Path folder) throws Exception {
    assumeTrue(PgBouncer.isInstalled(), "pgbouncer is not installed");
    try (PgBouncer pooler = PgBouncer.start(folder, databaseUrl, SERVER_CONNECTIONS)) {
      Settings settings = Settings.from(through(pooler));
      assertThatThrownBy(() -> done(DispatcherApp.start(vertx, settings)))
          .hasMessageContaining("set idle_in_transaction_session_timeout");
      assertThatThrownBy(() -> done(ApiApp.start(vertx, settings)))
          .hasMessageContaining("set idle_in_transaction_session_timeout = '10000ms'")
          .hasMessageContaining("set lock_timeout")
          .hasMessageContaining("set statement_timeout")
          .hasMessageContaining("set transaction_timeout");
    }
  }

  /** The database's other sessions are those of the pooler. */
  private static final String CONNECTIONS =
      """
      select count(*) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
        and application_name = 'egress'
      """;

  /** Asked at PgBouncer's console, which is one of them. */
  private int clients(PgBouncer pooler) {
    PgConnectOptions console =
        PgConnectOptions.fromUri(pooler.url()).setDatabase("pgbouncer").setUseLayer7Proxy(true);
    console.getProperties().remove("extra_float_digits");
    Pool pool = PgBuilder.pool().connectingTo(console).using(vertx).build();
    return done(pool.query("show clients").execute()).size();
  }

  private Map<String, String> through(PgBouncer pooler) {
    environment.put("EGRESS_DATABASE_URL", pooler.url());
    environment.put("EGRESS_DATABASE_POOLER", "transaction");
    return environment;
  }

  private void limitTransactions() {
    String database = databaseUrl.substring(databaseUrl.lastIndexOf('/') + 1);
    Map.of(
            "statement_timeout", "30s",
            "lock_timeout", "15s",
            "idle_in_transaction_session_timeout", "2s",
            "transaction_timeout", "1min")
        .forEach((limit, value) ->
            query(
                "alter role current_user in database %s set %s = '%s'"
                    .formatted(database, limit, value)));
  }

  private RowSet<Row> query(String sql) {
    return done(database.query(sql).execute());
  }
}
