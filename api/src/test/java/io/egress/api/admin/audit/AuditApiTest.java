package io.egress.api.admin.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.api.RawClient;
import io.egress.api.Service;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuditApiTest {
  private static final String ACTOR = "ada@example.com";

  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private final String path = "/internal/v1/workspaces/" + workspace;

  @BeforeAll
  static void start() {
    service = Service.start();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void recordsWhoDidWhatFromWhereWithoutSecrets() {
    JsonObject key =
        body(act("POST", path + "/api-keys", "{\"name\":\"ETL\",\"expires_in\":\"1d\"}"));
    act("DELETE", path + "/api-keys/" + key.getString("id"), "");
    JsonObject endpoint =
        body(
            act(
                "POST",
                path + "/endpoints",
                "{\"url\":\"https://a.example/hook?token=abc\",\"full_history\":true}"));
    String at = path + "/endpoints/" + endpoint.getString("id");
    act("PATCH", at, "{\"paused\":true,\"description\":\"CRM\"}");
    act("PATCH", at, "{\"paused\":false}");
    JsonObject rotated = body(act("POST", at + "/rotate-secret", "{\"overlap\":\"2h\"}"));
    act("DELETE", at + "/previous-secret", "");
    act("DELETE", at, "");

    List<JsonObject> entries = entries(page(""));

    assertThat(entries)
        .extracting(entry -> entry.getString("action"))
        .containsExactly(
            "endpoint.deleted",
            "secret_overlap.ended",
            "secret.rotated",
            "endpoint.resumed",
            "endpoint.changed",
            "endpoint.paused",
            "endpoint.created",
            "api_key.deleted",
            "api_key.created");
    assertThat(entries)
        .allSatisfy(entry -> {
          assertThat(entry.getString("actor")).isEqualTo(ACTOR);
          assertThat(entry.getString("via")).isEqualTo("api");
          assertThat(entry.getString("remote_address")).isEqualTo("127.0.0.1");
          assertThat(entry.getString("request_id")).isEqualTo("request-1");
          assertThat(entry.getString("workspace_id")).isEqualTo(workspace.toString());
        });
    assertThat(entries.subList(0, 7))
        .allSatisfy(entry -> {
          assertThat(entry.getString("kind")).isEqualTo("endpoint");
          assertThat(entry.getString("thing_id")).isEqualTo(endpoint.getString("id"));
        });
    assertThat(changes(entries, 2)).isEqualTo("{\"overlap\":\"2h\"}");
    assertThat(changes(entries, 4)).isEqualTo("{\"description\":{\"to\":\"CRM\",\"from\":null}}");
    assertThat(entries.get(6).getJsonObject("changes"))
        .isEqualTo(
            new JsonObject()
                .put("url", "https://a.example/hook?(withheld)")
                .put("description", null)
                .put("full_history", true));
    assertThat(entries.get(8).getJsonObject("changes").getString("name")).isEqualTo("ETL");
    assertThat(page("").body())
        .doesNotContain(
            "token=abc",
            key.getString("key"),
            endpoint.getString("secret"),
            rotated.getString("secret"));
  }

  @Test
  void recordsNothingForRefusedOrRepeatedRequests() {
    service.internal("POST", path + "/api-keys", "{}");
    service.internal("DELETE", path + "/api-keys/" + UUID.randomUUID(), "");
    service.internal("DELETE", path + "/endpoints/" + UUID.randomUUID(), "");
    service.internal("PATCH", path + "/endpoints/" + UUID.randomUUID(), "{\"paused\":true}");
    assertThat(entries(page(""))).isEmpty();

    for (int i = 0; i < 3; i++) {
      Service.send(
          request("POST", path + "/api-keys", "{\"name\":\"a\"}").header("idempotency-key", "k1"));
    }
    assertThat(entries(page(""))).hasSize(1);
  }

  @Test
  void isWrittenInTheTransactionOfTheAct() {
    try (Service own = Service.start()) {
      own.query("alter table audit add check (action <> 'api_key.created')");

      assertThat(own.internal("POST", path + "/api-keys", "{\"name\":\"unheard of\"}").statusCode())
          .isEqualTo(500);

      assertThat(own.internal("GET", path + "/api-keys", "").body()).doesNotContain("unheard of");
    }
  }

  @Test
  void theActorIsOptionalAndMayBeInAnyScript() throws IOException {
    assertThat(service.mintKey(workspace)).isNotEmpty();
    assertThat(entries(page("")).get(0).getString("actor")).isNull();

    byte[] body = "{\"name\":\"a\"}".getBytes(StandardCharsets.UTF_8);
    String head =
        "POST %s/api-keys HTTP/1.1\r\nhost: a\r\nauthorization: Bearer %s\r\nconnection: close\r\n"
                .formatted(path, Service.TOKEN)
            + "x-egress-actor: José Иванов\r\ncontent-length: %d\r\n\r\n".formatted(body.length);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.app.internalPort())) {
      socket.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
      socket.getOutputStream().write(body);
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 201");
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    assertThat(entries(page("")).get(0).getString("actor")).isEqualTo("José Иванов");
  }

  @Test
  void refusesAnInvalidActor() {
    for (String bad : List.of("", "a".repeat(201), "a\tb")) {
      HttpResponse<String> refused =
          Service.send(
              HttpRequest.newBuilder(URI.create(service.internalUrl(path + "/api-keys")))
                  .header("authorization", "Bearer " + Service.TOKEN)
                  .header("x-egress-actor", bad)
                  .POST(BodyPublishers.ofString("{\"name\":\"a\"}")));
      assertThat(refused.statusCode()).as(bad).isEqualTo(400);
      assertThat(refused.body()).contains("x-egress-actor");
    }
    String latin1 = RawClient.internal("POST " + path + "/api-keys", "x-egress-actor: \u00e9");
    try (RawClient client = RawClient.to(service.app.internalPort()).send(latin1)) {
      client.await("HTTP/1.1 400").await("x-egress-actor");
    }
    assertThat(
            Service.send(
                    request("POST", path + "/api-keys", "{\"name\":\"a\"}")
                        .header("x-egress-actor", "another"))
                .statusCode())
        .isEqualTo(400);
    assertThat(
            Service.send(
                    HttpRequest.newBuilder(
                            URI.create(service.internalUrl("/internal/v1/secret-keys/reseal")))
                        .header("authorization", "Bearer " + Service.TOKEN)
                        .header("x-egress-actor", "a".repeat(201))
                        .POST(BodyPublishers.noBody()))
                .statusCode())
        .isEqualTo(400);
    assertThat(entries(page(""))).isEmpty();
  }

  @Test
  void pagesHaveNoGapsWhileEntriesAreWritten() {
    write(25);
    List<JsonObject> entries = entries(page("?limit=100"));
    assertThat(entries.stream().map(each -> each.getString("at")))
        .hasSize(25)
        .isSortedAccordingTo(Comparator.reverseOrder());
    List<Long> all = entries.stream().map(each -> each.getLong("id")).toList();

    List<Long> paged = new ArrayList<>();
    String after = "";
    JsonObject info;
    do {
      JsonObject page = new JsonObject(page("?limit=10" + after).body());
      page.getJsonArray("entries").forEach(entry -> paged.add(((JsonObject) entry).getLong("id")));
      info = page.getJsonObject("pageInfo");
      after = "&after=" + info.getString("endCursor");
      write(1);
    } while (info.getBoolean("hasNextPage"));

    assertThat(paged).isEqualTo(all);
    assertThat(info.getString("endCursor")).isNull();
  }

  @Test
  void finds() {
    write(3);
    JsonObject key = body(act("POST", path + "/api-keys", "{\"name\":\"a\"}"));
    List<JsonObject> all = entries(page(""));
    String created = all.get(0).getString("at");

    assertThat(entries(page("?action=api_key.created"))).hasSize(1);
    assertThat(entries(page("?thing_id=" + key.getString("id")))).hasSize(1);
    assertThat(entries(page("?actor=" + ACTOR))).hasSize(1);
    assertThat(entries(page("?actor=nobody"))).isEmpty();
    assertThat(entries(page("?to=" + created))).noneMatch(each -> each.equals(all.get(0)));
    assertThat(entries(page("?from=" + created))).contains(all.get(0));
    assertThat(entries(page("?from=2999-01-01T00:00:00Z"))).isEmpty();
    assertThat(entries(page("?to=2000-01-01T00:00:00Z"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit=0",
        "limit=101",
        "limit=x",
        "limit=1&limit=2",
        "from=yesterday",
        "to=",
        "after=x",
        "after=AAAA",
        "thing_id=1",
        "action=a&action=b"
      })
  void refusesOtherQueries(String query) {
    HttpResponse<String> refused = page("?" + query);

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(service.internal("GET", "/internal/v1/audit?" + query, "").statusCode())
        .isEqualTo(400);
  }

  @Test
  void exportsOneLinePerEntry() {
    write(1_201);

    HttpResponse<String> export = export(path + "/audit", "application/x-ndjson");

    assertThat(export.headers().firstValue("content-type")).contains("application/x-ndjson");
    List<String> lines = export.body().lines().toList();
    assertThat(lines).hasSize(1_201).doesNotHaveDuplicates();
    assertThat(new JsonObject(lines.get(0))).isEqualTo(entries(page("?limit=1")).get(0));
    assertThat(export(path + "/audit?limit=600", "application/x-ndjson;q=0.5, text/html").body())
        .hasLineCount(600);
    assertThat(export(path + "/audit", "application/x-ndjson;q=0").body()).startsWith("{\"entries");
    assertThat(export("/internal/v1/audit", "application/x-ndjson").body().lines().count())
        .isGreaterThanOrEqualTo(1_201);
    assertThat(export(path + "/audit?to=2000-01-01T00:00:00Z", "application/x-ndjson").body())
        .isEmpty();
  }

  @Test
  void aWorkspaceSeesOnlyItsOwnEntries() {
    service.mintKey(workspace);
    UUID other = UUID.randomUUID();
    service.mintKey(other);

    assertThat(page("").body()).doesNotContain(other.toString());
    assertThat(export(path + "/audit", "application/x-ndjson").body())
        .doesNotContain(other.toString());
    assertThat(service.internal("GET", "/internal/v1/audit", "").body())
        .contains(workspace.toString(), other.toString());
    assertThat(service.internal("GET", "/internal/v1/workspaces/x/audit", "").statusCode())
        .isEqualTo(400);
    assertThat(
            Service.send(HttpRequest.newBuilder(URI.create(service.internalUrl(path + "/audit"))))
                .statusCode())
        .isEqualTo(401);
  }

  @Test
  void recordsResealingOutsideAnyWorkspace() {
    try (Service old = Service.start(Map.of("EGRESS_SECRET_KEY", "old:" + SecretBox.newKey()))) {
      old.internal("POST", path + "/endpoints", "{\"url\":\"https://a.example/\"}");
      String both = "new:" + SecretBox.newKey() + "," + old.environment.get("EGRESS_SECRET_KEY");
      try (Service fresh = old.twin(Map.of("EGRESS_SECRET_KEY", both))) {
        fresh.internal("POST", "/internal/v1/secret-keys/reseal", "");

        JsonObject entry =
            entries(fresh.internal("GET", "/internal/v1/audit?action=secret_keys.resealed", ""))
                .get(0);
        assertThat(entry.getString("workspace_id")).isNull();
        assertThat(entry.getJsonObject("changes").getInteger("endpoints")).isEqualTo(1);
        assertThat(fresh.internal("GET", path + "/audit", "").body()).doesNotContain("resealed");
      }
    }
  }

  @Test
  void theDatabaseRefusesToChangeEntries() {
    write(1);
    for (String change :
        List.of("update audit set actor = 'x'", "delete from audit", "truncate audit")) {
      assertThatThrownBy(() -> service.query(change)).hasMessageContaining("insert-only");
    }
  }

  private void write(int entries) {
    for (int i = 0; i < entries; i++) {
      AuditLog.record(
          service.database,
          workspace,
          Caller.SYSTEM,
          new Act("test.done", "test", null, new JsonObject()));
    }
  }

  private static HttpResponse<String> act(String method, String path, String body) {
    HttpResponse<String> answer = Service.send(request(method, path, body));
    assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
    return answer;
  }

  private static HttpRequest.Builder request(String method, String path, String body) {
    return HttpRequest.newBuilder(URI.create(service.internalUrl(path)))
        .header("authorization", "Bearer " + Service.TOKEN)
        .header("x-egress-actor", ACTOR)
        .header("x-request-id", "request-1")
        .method(method, BodyPublishers.ofString(body));
  }

  private HttpResponse<String> page(String query) {
    return service.internal("GET", path + "/audit" + query, "");
  }

  private static HttpResponse<String> export(String path, String accept) {
    return Service.send(
        HttpRequest.newBuilder(URI.create(service.internalUrl(path)))
            .header("authorization", "Bearer " + Service.TOKEN)
            .header("accept", accept));
  }

  private static JsonObject body(HttpResponse<String> answer) {
    return new JsonObject(answer.body());
  }

  private static List<JsonObject> entries(HttpResponse<String> page) {
    assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
    return new JsonObject(page.body())
        .getJsonArray("entries").stream().map(JsonObject.class::cast).toList();
  }

  private static String changes(List<JsonObject> entries, int i) {
    return entries.get(i).getJsonObject("changes").encode();
  }
}
