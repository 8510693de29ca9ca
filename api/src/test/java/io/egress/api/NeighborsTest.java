package io.egress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What one workspace does in bulk is not felt in another. */
class NeighborsTest {
  /** More than the calls that run at a time. */
  private static final int MANY = 300;

  private static final JsonObject ENDPOINT =
      new JsonObject().put("url", "https://crm.example/hook");
  private static final JsonObject KEY = new JsonObject().put("name", "etl");

  private static Service service;

  private final UUID greedy = UUID.randomUUID();
  private final UUID other = UUID.randomUUID();

  @BeforeAll
  static void start() {
    service = Service.start(Map.of("pull-stall", "10m"));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void exportsThatNobodyReadsHoldUpNobody() {
    enterAudit();
    List<RawClient> readers = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      readers.add(export(service));
    }
    assertOtherIsServed();
    // Two that are sent, and as many refusals as it takes to see that the others were refused.
    await().until(() -> exportStatus(service) == 429);
    readers.forEach(RawClient::close);
    await().until(() -> exportStatus(service) == 200);
  }

  @Test
  void anExportThatNobodyReadsEnds() {
    enterAudit();
    try (Service hasty = service.twin(Map.of("pull-stall", "300ms"))) {
      List<RawClient> readers = List.of(export(hasty), export(hasty));
      readers.forEach(reader -> reader.await("HTTP/1.1 200"));
      await().until(() -> exportStatus(hasty) == 200);
      readers.forEach(RawClient::close);
    }
  }

  @Test
  void aWorkspaceHasAsManyEndpointsAndKeysAsTheOperatorSays() {
    assertThat(changeGreedy(new JsonObject().put("max_endpoints", 3).put("max_keys", 2)))
        .containsEntry("max_endpoints", 3)
        .containsEntry("max_keys", 2);
    List<Integer> endpoints =
        IntStream.range(0, 20).parallel().mapToObj(_ -> create("/endpoints", ENDPOINT)).toList();
    List<Integer> keys =
        IntStream.range(0, 20).parallel().mapToObj(_ -> create("/api-keys", KEY)).toList();
    assertThat(endpoints).containsOnly(201, 409).filteredOn(status -> status == 201).hasSize(3);
    assertThat(keys).containsOnly(201, 409).filteredOn(status -> status == 201).hasSize(2);

    assertThat(changeGreedy(new JsonObject().putNull("max_endpoints").put("max_keys", 1)))
        .containsEntry("max_endpoints", 100)
        .containsEntry("max_keys", 1);
    assertThat(create("/endpoints", ENDPOINT)).isEqualTo(201);
    assertThat(create("/api-keys", KEY)).as("it keeps its two").isEqualTo(409);
  }

  @Test
  void aWorkspaceHasAHundredOpenLinks() {
    JsonObject link = new JsonObject().put("role", "view");
    List<Integer> links =
        IntStream.range(0, 101).mapToObj(_ -> create("/portal-links", link)).toList();
    assertThat(links).filteredOn(status -> status == 201).hasSize(100);
    assertThat(links.getLast()).isEqualTo(409);
  }

  private Map<String, Object> changeGreedy(JsonObject change) {
    return new JsonObject(service.internal("PATCH", path(greedy, ""), change).body()).getMap();
  }

  private int create(String what, JsonObject body) {
    return service.internal("POST", path(greedy, what), body).statusCode();
  }

  @Test
  void verificationsOfOneWorkspaceAreFewAtATime() {
    String endpoint = endpoint();
    service.enter(greedy, 1);
    SqlConnection lock = Service.await(service.database.getConnection());
    Service.await(lock.query("begin").execute());
    Service.await(lock.query("lock table only deliveries in access exclusive mode").execute());
    List<CompletableFuture<Integer>> answers = new ArrayList<>();
    HttpClient http = HttpClient.newHttpClient();
    for (int i = 0; i < MANY; i++) {
      HttpRequest verification =
          HttpRequest.newBuilder(
                  URI.create(
                      service.internalUrl(
                          path(greedy, "/endpoints/" + endpoint + "/verification"))))
              .header("authorization", "Bearer " + Service.TOKEN)
              .build();
      answers.add(
          http.sendAsync(verification, HttpResponse.BodyHandlers.discarding())
              .thenApply(HttpResponse::statusCode));
    }
    await().until(() -> answers.stream().filter(CompletableFuture::isDone).count() == MANY - 2);
    assertOtherIsServed();

    Service.await(lock.query("rollback").execute());
    Service.await(lock.close());
    assertThat(answers.stream().map(CompletableFuture::join).filter(status -> status == 200))
        .hasSize(2);
    assertThat(answers.stream().map(CompletableFuture::join).filter(status -> status == 429))
        .hasSize(MANY - 2);
  }

  private void assertOtherIsServed() {
    assertThat(service.internal("GET", path(other, "/captures"), "").statusCode()).isEqualTo(404);
    String key = service.mintKey(other);
    assertThat(service.internal("GET", path(other, "/api-keys"), "").statusCode()).isEqualTo(200);
    assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(200);
    assertThat(service.put(UUID.randomUUID(), Service.capture(other)).statusCode()).isEqualTo(201);
  }

  /** More than connections buffer. */
  private void enterAudit() {
    service.query(
        """
        insert into audit (workspace_id, action, kind, via, changes)
        select '%s', 'endpoint.changed', 'endpoint', 'api', jsonb_build_object('noise', repeat(md5(n::text), 100))
        from generate_series(1, 10000) as n
        """
            .formatted(greedy));
  }

  private RawClient export(Service from) {
    return RawClient.to(from.app.internalPort())
        .send(RawClient.internal("GET " + path(greedy, "/audit"), "accept: application/x-ndjson"));
  }

  private int exportStatus(Service from) {
    return Service.send(
            HttpRequest.newBuilder(URI.create(from.internalUrl(path(greedy, "/audit?limit=1"))))
                .header("authorization", "Bearer " + Service.TOKEN)
                .header("accept", "application/x-ndjson"))
        .statusCode();
  }

  private String endpoint() {
    HttpResponse<String> created = service.internal("POST", path(greedy, "/endpoints"), ENDPOINT);
    return new JsonObject(created.body()).getString("id");
  }

  private static String path(UUID workspace, String rest) {
    return "/internal/v1/workspaces/" + workspace + rest;
  }
}
