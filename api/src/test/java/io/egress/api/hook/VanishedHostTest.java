package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.platform.database.Database;
import io.egress.settings.Settings;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A host that vanished without a FIN, as the server sees it: its session is there, in the middle of
 * a transaction, and asks nothing more.
 */
@Execution(ExecutionMode.CONCURRENT)
class VanishedHostTest {
  private final UUID workspace = UUID.randomUUID();
  private Service service;
  private Pool vanishing;
  private SqlConnection session;

  @BeforeEach
  void start() {
    service = Service.start(Map.of("idle-transaction", "2s"));
    vanishing =
        Database.pool(
            service.vertx,
            Settings.from(service.environment, service.environment).database(),
            "vanishing",
            1);
    session = Service.await(vanishing.getConnection());
  }

  @AfterEach
  void stop() {
    session.close();
    Service.await(vanishing.close());
    service.close();
  }

  @Test
  void doesNotBlockTheStreamWithItsUnfinishedCapture() {
    UUID id = UUID.randomUUID();
    put(id);
    Service.await(session.begin());
    Service.await(
        session
            .preparedQuery("update captures set revision = revision + 1 where id = $1")
            .execute(Tuple.of(id)));

    put(UUID.randomUUID());

    assertThat(Service.await(session.query("select 1").execute()).size())
        .as("the session that holds the lock is still there")
        .isEqualTo(1);
  }

  @Test
  void losesItsLocksWithinABound() {
    put(UUID.randomUUID());
    Service.await(session.begin());
    Service.await(session.query("select from workspaces for no key update").execute());

    put(UUID.randomUUID());
  }

  @Test
  void isBoundedByEveryTimeoutOfTheServer() {
    JsonObject settings = new JsonObject();
    Service.await(
            session
                .query(
                    "select name, setting from pg_settings where name like 'tcp%' or name like '%timeout'")
                .execute())
        .forEach(row -> settings.put(row.getString(0), row.getString(1)));

    assertThat(settings)
        .contains(
            Map.entry("statement_timeout", "30000"),
            Map.entry("lock_timeout", "15000"),
            Map.entry("idle_in_transaction_session_timeout", "2000"),
            Map.entry("transaction_timeout", "60000"),
            Map.entry("tcp_keepalives_idle", "10"),
            Map.entry("tcp_user_timeout", "25000"));
  }

  private void put(UUID id) {
    assertThat(service.put(id, Service.capture(workspace)).statusCode()).isEqualTo(201);
    assertThat(service.query("select from stream where capture_id = '%s'".formatted(id)).size())
        .isEqualTo(1);
  }
}
