package io.egress.api.admin.database;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.embedded.Durability;
import io.egress.embedded.PostgresServer;
import io.egress.testing.TcpProxy;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Transaction;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class DatabaseApiTest {
  private static final String PATH = "/internal/v1/database";

  @Test
  void showsWhoHoldsALockAndWhoWaitsForIt() {
    try (Service service = Service.start()) {
      UUID workspace = UUID.randomUUID();
      service.put(UUID.randomUUID(), Service.capture(workspace));
      SqlConnection holder = Service.await(service.database.getConnection());
      Transaction transaction = Service.await(holder.begin());
      Service.await(holder.query("select from workspaces for no key update").execute());
      int pid = pid(holder);

      CompletableFuture<?> put =
          CompletableFuture.runAsync(
              () -> service.put(UUID.randomUUID(), Service.capture(workspace)));

      await().until(() -> blocks(service, pid) == 1);
      assertThat(sessions(service))
          .filteredOn(session -> session.getJsonArray("blocked_by").contains(pid))
          .singleElement()
          .satisfies(waiting -> {
            assertThat(waiting.getString("waits_for")).isEqualTo("Lock: transactionid");
            assertThat(waiting.getString("query")).contains("enter_stream(");
          });

      Service.await(transaction.rollback());
      Service.await(holder.close());
      put.join();
      await().until(() -> blocks(service, pid) == 0);
    }
  }

  @Test
  @Tag("full")
  void saysHowFarAServerCanBeReachedThatDoesNotAnswer() {
    Map<String, String> environment = Service.freshEnvironment();
    String url = requireNonNull(environment.get("EGRESS_DATABASE_URL"));
    try (TcpProxy proxy = TcpProxy.open(URI.create(url).getPort());
        Service service = Service.start(Map.of("EGRESS_DATABASE_URL", proxy.url(url)))) {
      assertThat(service.internal("GET", PATH, "").statusCode()).isEqualTo(200);

      proxy.stall();
      await()
          .until(() ->
              Service.send(HttpRequest.newBuilder(URI.create(service.internalUrl("/health/ready"))))
                      .statusCode()
                  == 503);
      HttpResponse<String> answer = service.internal("GET", PATH, "");
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body())
          .contains("127.0.0.1:" + proxy.port(), "answers nothing within 1 s", "frozen");

      proxy.resume();
      await().until(() -> service.internal("GET", PATH, "").statusCode() == 200);
      proxy.refuse(true);
      proxy.reset();
      await().until(() -> service.internal("GET", PATH, "").statusCode() == 503);
    }
  }

  @Test
  @Tag("full")
  void showsAStandbyAndAServerThatTakesNoWrites(@TempDir Path folder) {
    try (PostgresServer primary =
            PostgresServer.start(folder.resolve("primary"), Durability.UNSYNCED);
        PostgresServer standby = PostgresServer.startStandby(folder.resolve("standby"), primary);
        Service service = Service.start(Map.of("EGRESS_DATABASE_URL", primary.databaseUrl()))) {
      assertThat(standby.query("select pg_is_in_recovery()")).isEqualTo("t");
      JsonObject database = database(service);
      assertThat(database.getJsonObject("server").getBoolean("in_recovery")).isFalse();
      assertThat(database.getJsonObject("server").getBoolean("read_only")).isFalse();
      assertThat(database.getJsonArray("standbys")).hasSize(1);
      assertThat(database.getJsonArray("standbys").getJsonObject(0).getString("state"))
          .isEqualTo("streaming");

      primary.alter("set default_transaction_read_only = on");

      await().until(() -> service.internal("GET", "/internal/v1/queue", "").statusCode() == 503);
      await().until(() -> service.internal("GET", PATH, "").body().contains("\"read_only\":true"));
      primary.alter("reset default_transaction_read_only");
    }
  }

  private static int pid(SqlConnection connection) {
    return Service.await(connection.query("select pg_backend_pid()").execute())
        .iterator()
        .next()
        .getInteger(0);
  }

  private static long blocks(Service service, int pid) {
    return sessions(service).stream()
        .filter(session -> session.getInteger("pid") == pid)
        .mapToLong(session -> session.getLong("blocks"))
        .sum();
  }

  private static List<JsonObject> sessions(Service service) {
    return database(service).getJsonArray("sessions").stream().map(JsonObject.class::cast).toList();
  }

  private static JsonObject database(Service service) {
    HttpResponse<String> answer = service.internal("GET", PATH, "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }
}
