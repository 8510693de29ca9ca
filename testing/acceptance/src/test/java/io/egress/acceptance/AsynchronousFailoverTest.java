package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.acceptance.TenantWorld.Tenant;
import io.egress.embedded.Durability;
import io.egress.embedded.PostgresServer;
import io.egress.testing.TcpProxy;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The recipe of docs/disaster-recovery.md for a failover to a standby that was behind. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class AsynchronousFailoverTest {
  private PostgresServer primary;
  private PostgresServer standby;
  private TcpProxy replication;
  private TcpProxy proxy;
  private TenantWorld roles;

  @BeforeEach
  void start(@TempDir Path folder) {
    primary = PostgresServer.start(folder.resolve("primary"), Durability.UNSYNCED);
    standby = PostgresServer.startStandby(folder.resolve("standby"), primary);
    replication = TcpProxy.open(primary.port());
    String address = String.valueOf(standby.query("show primary_conninfo"));
    standby.alter(
        "set primary_conninfo = '%s'"
            .formatted(address.replace("port=" + primary.port(), "port=" + replication.port())));
    proxy = TcpProxy.open(primary.port());
    Map<String, String> environment = BothRoles.environment();
    environment.put("EGRESS_DATABASE_URL", proxy.url(primary.databaseUrl()));
    roles = new TenantWorld(environment);
  }

  @AfterEach
  void stop() {
    roles.close();
    proxy.close();
    replication.close();
    standby.close();
    primary.close();
  }

  @Test
  void losesOnlyWhatTheStandbyLackedAndSaysSo() throws Exception {
    Tenant tenant = roles.tenant(UUID.randomUUID());
    List<UUID> kept = captures(3);
    kept.forEach(id -> roles.put(tenant, id));
    awaitDelivered(kept);
    String before = cursor(tenant);
    await().until(() -> count().equals("3"));

    replication.stall();
    List<UUID> lost = captures(4);
    lost.forEach(id -> roles.put(tenant, id));
    awaitDelivered(lost);
    String lostCursor = cursor(tenant);
    assertThat(count()).isEqualTo("3");

    primary.kill();
    standby.query("select pg_promote()");
    proxy.leadTo(standby.port());

    List<UUID> repeated = List.of(lost.get(2), lost.get(0));
    repeated.forEach(id -> roles.put(tenant, id));
    await().until(() -> ids(roles.page(tenant, null)).size() == 5);
    assertThat(roles.page(tenant, lostCursor))
        .satisfies(refused -> {
          assertThat(refused.statusCode()).isEqualTo(400);
          assertThat(refused.body()).contains("restored");
        });
    assertThat(ids(roles.page(tenant, before))).containsExactlyElementsOf(strings(repeated));
    await().until(() -> roles.verify(tenant).getLong("delivered") == 5);
    assertThat(roles.verify(tenant).getLong("missing")).isZero();
  }

  private void awaitDelivered(List<UUID> ids) {
    await().until(() -> ids.stream().allMatch(id -> roles.isDelivered("live", id)));
  }

  private String cursor(Tenant tenant) {
    return new JsonObject(roles.page(tenant, null).body())
        .getJsonObject("pageInfo")
        .getString("endCursor");
  }

  private static List<String> ids(HttpResponse<String> page) {
    return new JsonObject(page.body())
        .getJsonArray("captures").stream()
            .map(capture -> ((JsonObject) capture).getString("id"))
            .toList();
  }

  private static List<UUID> captures(int count) {
    return Stream.generate(UUID::randomUUID).limit(count).toList();
  }

  private static List<String> strings(List<UUID> ids) {
    return ids.stream().map(UUID::toString).toList();
  }

  private String count() {
    return String.valueOf(standby.query("select count(*) from stream"));
  }
}
