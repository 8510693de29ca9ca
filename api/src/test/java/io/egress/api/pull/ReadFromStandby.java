package io.egress.api.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.embedded.Durability;
import io.egress.embedded.PostgresServer;
import io.egress.testing.TcpProxy;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A primary, a standby behind a proxy, and services that read pages from it. */
final class ReadFromStandby implements AutoCloseable {

  final PostgresServer primary;
  final PostgresServer standby;
  final TcpProxy proxy;
  private final Map<String, String> environment = new HashMap<>();

  ReadFromStandby(Path folder) {
    primary = PostgresServer.start(folder.resolve("primary"), Durability.UNSYNCED);
    standby = PostgresServer.startStandby(folder.resolve("standby"), primary);
    proxy = TcpProxy.open(standby.port());
    environment.put("EGRESS_DATABASE_URL", primary.databaseUrl());
    environment.put("EGRESS_DATABASE_READ_URL", proxy.url(standby.databaseUrl()));
  }

  /** A service for which the standby may be that far behind. */
  Service service(String lagMax) {
    environment.put("EGRESS_DATABASE_READ_LAG", lagMax);
    return Service.start(environment);
  }

  /** Nothing that happens from now on is visible on the standby. */
  void hold() {
    standby.query("select pg_wal_replay_pause()");
    await().until(() -> "paused".equals(standby.query("select pg_get_wal_replay_pause_state()")));
  }

  void release() {
    standby.query("select pg_wal_replay_resume()");
  }

  /** Waits until the standby has everything. */
  void awaitReplayed() {
    String written = primary.query("select pg_current_wal_lsn()");
    await()
        .until(() ->
            "t"
                .equals(
                    standby.query("select pg_last_wal_replay_lsn() >= '%s'".formatted(written))));
  }

  static void awaitStandby(Service service, String state) {
    await().until(() -> state.equals(standbyOf(service)));
  }

  private static String standbyOf(Service service) {
    String answer =
        Service.send(HttpRequest.newBuilder(URI.create(service.publicUrl("/health/ready")))).body();
    return new JsonObject(answer).getJsonObject("checks").getString("standby");
  }

  /** How many pages came from the {@code server}. */
  static int pages(Service service, String server) {
    return counter(service, "egress_pull_pages_total{server=\"%s\"}".formatted(server));
  }

  static int replaced(Service service, String reason) {
    return counter(service, "egress_pull_standby_replaced_total{reason=\"%s\"}".formatted(reason));
  }

  private static int counter(Service service, String series) {
    return service
        .metrics()
        .filter(line -> line.startsWith(series + " "))
        .mapToInt(line -> (int) Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  static JsonObject page(Service service, String key, String query) {
    HttpResponse<String> answer = service.pull("/api/v1/captures" + query, key);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  static List<UUID> ids(JsonObject page) {
    return page.getJsonArray("captures").stream()
        .map(capture -> UUID.fromString(((JsonObject) capture).getString("id")))
        .toList();
  }

  static String cursor(JsonObject page) {
    return page.getJsonObject("pageInfo").getString("endCursor");
  }

  static boolean hasNext(JsonObject page) {
    return page.getJsonObject("pageInfo").getBoolean("hasNextPage");
  }

  static void erase(Service service, UUID capture) {
    HttpResponse<String> erased =
        service.internal(
            "DELETE",
            "/internal/v1/captures/" + capture,
            new JsonObject().put("reason", "requested"));
    assertThat(erased.statusCode()).as(erased.body()).isEqualTo(200);
  }

  @Override
  public void close() {
    proxy.close();
    standby.close();
    primary.close();
  }
}
