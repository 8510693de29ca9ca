package io.egress.api.admin.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.platform.json.UtcInstant;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class KeysApiTest {
  private final UUID workspace = UUID.randomUUID();
  private final String path = "/internal/v1/workspaces/" + workspace + "/api-keys";
  private Service service = Service.start();

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void showsAKeyOnceAndStoresOnlyItsHash() {
    HttpResponse<String> minted =
        service.internal("POST", path, new JsonObject().put("name", "ETL"));

    assertThat(minted.statusCode()).isEqualTo(201);
    JsonObject body = new JsonObject(minted.body());
    String key = body.getString("key");
    assertThat(body.fieldNames())
        .containsExactly(
            "id", "name", "key", "created_at", "expires_at", "expect_within", "filter");
    assertThat(key).matches("service_[A-Za-z0-9]{32}");
    String listed = service.internal("GET", path, "").body();
    assertThat(listed)
        .doesNotContain(key)
        .contains(key.substring(key.length() - 4))
        .contains("ETL");
    assertThat(
            service
                .query("select api_keys::text as row from api_keys")
                .iterator()
                .next()
                .getString(0))
        .doesNotContain(key.substring("service_".length()));
  }

  @Test
  void isRefusedAtTheFirstRequestAfterItsDeletion() {
    JsonObject minted =
        new JsonObject(service.internal("POST", path, new JsonObject().put("name", "a")).body());
    String key = minted.getString("key");
    String other = service.mintKey(workspace);
    for (int i = 0; i < 5; i++) {
      assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(200);
    }

    assertThat(service.internal("DELETE", path + "/" + minted.getString("id"), "").statusCode())
        .isEqualTo(204);

    assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(401);
    assertThat(service.pull("/api/v1/captures", other).statusCode()).isEqualTo(200);
    assertThat(service.internal("DELETE", path + "/" + minted.getString("id"), "").statusCode())
        .isEqualTo(404);
  }

  @Test
  void isRefusedLikeADeletedKeyOnceExpired() {
    service.put(UUID.randomUUID(), Service.capture(workspace));
    String lasting = service.mintKey(workspace);
    JsonObject minted = mint("{\"name\":\"a\",\"expires_in\":\"30d\"}");
    String key = minted.getString("key");
    assertThat(Instant.parse(minted.getString("expires_at")))
        .isEqualTo(Instant.parse(minted.getString("created_at")).plus(Duration.ofDays(30)));
    assertThat(service.internal("GET", path, "").body())
        .contains("\"expires_at\":\"" + minted.getString("expires_at"))
        .contains("\"expires_at\":null");
    assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(200);

    service.query("update api_keys set expires_at = now() where expires_at is not null");

    for (String read :
        List.of(
            "/api/v1/captures",
            "/api/v1/captures?limit=0",
            "/api/v1/captures/" + UUID.randomUUID(),
            "/api/v1/captures/x")) {
      HttpResponse<String> refused = service.pull(read, key);
      assertThat(refused.statusCode()).as(read).isEqualTo(401);
      assertThat(refused.body()).isEqualTo(service.pull(read, "service_" + "a".repeat(32)).body());
      assertThat(service.pull(read, lasting).statusCode()).as(read).isNotEqualTo(401);
    }
  }

  @Test
  void showsItsCreator() {
    Service.send(
        HttpRequest.newBuilder(URI.create(service.internalUrl(path)))
            .header("authorization", "Bearer " + Service.TOKEN)
            .header("x-egress-actor", "ada")
            .POST(BodyPublishers.ofString("{\"name\":\"a\"}")));

    assertThat(service.internal("GET", path, "").body()).contains("\"created_by\":\"ada\"");
  }

  @Test
  void refusesAnInvalidExpiry() {
    assertThat(service.internal("POST", path, "{\"name\":\"a\",\"expires_in\":\"soon\"}").body())
        .contains("expires_in: must be a whole number with a unit");
    assertThat(service.internal("POST", path, "{\"name\":\"a\",\"expires_in\":\"0s\"}").body())
        .contains("expires_in: must be at least 1m");
    assertThat(service.internal("POST", path, "{\"name\":\"a\",\"expires_in\":\"3651d\"}").body())
        .contains("expires_in: must be at most 87600h");
    assertThat(service.internal("POST", path, "{\"name\":\"a\",\"expires_in\":30}").body())
        .contains("expires_in: must be a string");
    assertThat(mint("{\"name\":\"a\",\"expires_in\":null}").getString("expires_at")).isNull();
  }

  @Test
  void isExpectedToAskAsOftenAsSomebodySays() {
    assertThat(mint("{\"name\":\"a\"}").getString("expect_within")).isNull();
    JsonObject minted = mint("{\"name\":\"a\",\"expect_within\":\"26h\",\"expires_in\":\"7d\"}");
    assertThat(minted.getString("expect_within")).isEqualTo("26h");

    JsonObject both = change(minted, "{\"expect_within\":\"90m\",\"expires_in\":\"1d\"}");
    assertThat(both.getString("expect_within")).isEqualTo("90m");
    assertThat(both.getString("expires_at")).isLessThan(minted.getString("expires_at"));
    JsonObject nobody = change(minted, "{\"expect_within\":null}");
    assertThat(nobody.getString("expect_within")).isNull();
    assertThat(nobody.getString("expires_at")).isEqualTo(both.getString("expires_at"));

    assertThat(patch(minted, "{\"expect_within\":\"4m\"}").body())
        .contains("expect_within: must be at least 5m");
    assertThat(service.internal("POST", path, "{\"name\":\"a\",\"expect_within\":\"367d\"}").body())
        .contains("expect_within: must be at most");
    assertThat(
            service
                .internal(
                    "GET",
                    "/internal/v1"
                        + path.substring(path.indexOf("/workspaces"))
                            .replace("/api-keys", "/audit"),
                    "")
                .body())
        .contains("\"expect_within\":{\"to\":\"90m\",\"from\":\"26h\"}");
  }

  /** What is not expected any more is not known to have stopped. */
  @Test
  void aNewExpectationIsLookedAtAfresh() {
    JsonObject minted = mint("{\"name\":\"a\",\"expect_within\":\"26h\"}");
    service.query(
        "update api_keys set stopped_at = now(), last_used_at = now() - interval '27 hours' where id = '%s'"
            .formatted(minted.getString("id")));

    assertThat(change(minted, "{\"expect_within\":\"25h\"}").getString("stopped_at")).isNotNull();
    assertThat(change(minted, "{\"expect_within\":\"28h\"}").getString("stopped_at")).isNull();
  }

  @Test
  void expiresWhenItsExpiryIsSetAndShortenedLater() {
    JsonObject minted = mint("{\"name\":\"a\"}");
    String key = minted.getString("key");

    JsonObject set = change(minted, "{\"expires_in\":\"30d\"}");
    assertThat(set.fieldNames()).contains("last_four", "last_used_at").doesNotContain("key");
    assertThat(Instant.parse(set.getString("expires_at")))
        .isBetween(daysFromNow(29), daysFromNow(31));
    JsonObject shortened = change(minted, "{\"expires_in\":\"1m\"}");
    assertThat(Instant.parse(shortened.getString("expires_at"))).isBefore(daysFromNow(1));
    assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(200);
    Instant soon = Instant.now().plusSeconds(1).truncatedTo(ChronoUnit.MILLIS);
    assertThat(change(minted, "{\"expires_at\":\"" + soon + "\"}").getString("expires_at"))
        .isEqualTo(UtcInstant.format(soon));

    await().until(() -> service.pull("/api/v1/captures", key).statusCode() == 401);
    for (String late :
        List.of("{\"expires_in\":\"1d\"}", "{\"expires_at\":null,\"extend\":true}")) {
      HttpResponse<String> refused = patch(minted, late);
      assertThat(refused.statusCode()).isEqualTo(409);
      assertThat(refused.body()).contains("the key has expired and stays so");
    }
    assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(401);
  }

  @Test
  void expiresLaterOnlyIfThatIsMeant() {
    JsonObject minted = mint("{\"name\":\"a\",\"expires_in\":\"7d\"}");
    String before = minted.getString("expires_at");
    for (String later : List.of("{\"expires_in\":\"8d\"}", "{\"expires_at\":null}")) {
      HttpResponse<String> refused = patch(minted, later);
      assertThat(refused.statusCode()).as(later).isEqualTo(409);
      assertThat(refused.body()).contains(before, "requires extend");
    }
    assertThat(service.internal("GET", path, "").body()).contains(before);

    assertThat(change(minted, "{\"expires_in\":\"8d\",\"extend\":true}").getString("expires_at"))
        .isGreaterThan(before);
    assertThat(change(minted, "{\"expires_in\":null,\"extend\":true}").getString("expires_at"))
        .isNull();

    JsonObject changes =
        new JsonObject(
                service
                    .internal("GET", path.replace("api-keys", "audit?action=api_key.changed"), "")
                    .body())
            .getJsonArray("entries")
            .getJsonObject(1)
            .getJsonObject("changes");
    assertThat(changes.getString("name")).isEqualTo("a");
    assertThat(changes.getJsonObject("expires_at").getString("from")).isEqualTo(before);
  }

  @Test
  void refusesAnInvalidChange() {
    JsonObject minted = mint("{\"name\":\"a\"}");
    assertThat(patch(minted, "{}").body())
        .contains("expires_in, expires_at or expect_within is required");
    assertThat(patch(minted, "{\"expires_in\":\"1d\",\"expires_at\":null}").body())
        .contains("only one of expires_in and expires_at");
    assertThat(patch(minted, "{\"expires_at\":\"2020-01-01T00:00:00Z\"}").body())
        .contains("must expire in the future");
    assertThat(patch(minted, "{\"expires_at\":\"2999-01-01T00:00:00Z\"}").body())
        .contains("within 87600h");
    assertThat(patch(minted, "{\"expires_in\":\"0s\"}").body())
        .contains("expires_in: must be at least 1m");
    assertThat(service.internal("GET", path, "").body()).contains("\"expires_at\":null");
    String elsewhere = path.replace(workspace.toString(), UUID.randomUUID().toString());
    assertThat(
            service
                .internal(
                    "PATCH", elsewhere + "/" + minted.getString("id"), "{\"expires_in\":\"1d\"}")
                .statusCode())
        .isEqualTo(404);
  }

  private JsonObject change(JsonObject key, String body) {
    HttpResponse<String> changed = patch(key, body);
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    return new JsonObject(changed.body());
  }

  private HttpResponse<String> patch(JsonObject key, String body) {
    return service.internal("PATCH", path + "/" + key.getString("id"), body);
  }

  private static Instant daysFromNow(int days) {
    return Instant.now().plus(Duration.ofDays(days));
  }

  private JsonObject mint(String body) {
    HttpResponse<String> minted = service.internal("POST", path, body);
    assertThat(minted.statusCode()).as(minted.body()).isEqualTo(201);
    return new JsonObject(minted.body());
  }

  @Test
  void isScopedToItsWorkspace() {
    UUID capture = UUID.randomUUID();
    service.put(capture, Service.capture(UUID.randomUUID()));
    String key = service.mintKey(workspace);

    assertThat(service.pull("/api/v1/captures/" + capture, key).statusCode()).isEqualTo(404);
    assertThat(
            service
                .internal(
                    "DELETE",
                    "/internal/v1/workspaces/"
                        + UUID.randomUUID()
                        + "/api-keys/"
                        + UUID.randomUUID(),
                    "")
                .statusCode())
        .isEqualTo(404);
  }

  @Test
  void recordsItsLastUseAcrossARestart() {
    Map<String, String> environment = service.environment;
    String key = service.mintKey(workspace);
    assertThat(service.internal("GET", path, "").body()).contains("\"last_used_at\":null");
    service.pull("/api/v1/captures", key);
    service.close();

    service = Service.start(environment);

    assertThat(service.internal("GET", path, "").body()).doesNotContain("\"last_used_at\":null");
  }

  @Test
  void requiresANameAndAUuid() {
    assertThat(service.internal("POST", path, "").statusCode()).isEqualTo(400);
    assertThat(service.internal("POST", path, "{\"name\":\"\"}").body())
        .contains("name: must not be blank");
    assertThat(service.internal("GET", "/internal/v1/workspaces/x/api-keys", "").statusCode())
        .isEqualTo(400);
  }
}
