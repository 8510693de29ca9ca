package io.egress.api.admin.idempotency;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.RawClient;
import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Creations that are repeated because their answer was lost. */
class IdempotencyTest {
  private static final String ENDPOINT = "{\"url\":\"https://example.com/hook\"}";
  private static final String KEY = "{\"name\":\"warehouse\"}";

  private static Service service;
  private static Service twin;

  private final UUID workspace = UUID.randomUUID();

  @BeforeAll
  static void start() {
    service = Service.start();
    twin = service.twin();
  }

  @AfterAll
  static void stop() {
    twin.close();
    service.close();
  }

  @ParameterizedTest
  @CsvSource({"endpoints, secret", "api-keys, key"})
  void answersARepetitionLikeTheFirstRequest(String collection, String secret) {
    String body = collection.equals("endpoints") ? ENDPOINT : KEY;
    HttpResponse<String> first = create(service, collection, "retry-1", body);
    HttpResponse<String> again = create(twin, collection, "retry-1", body);

    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(again.statusCode()).isEqualTo(201);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(first.headers().firstValue("idempotent-replayed")).isEmpty();
    assertThat(again.headers().firstValue("idempotent-replayed")).contains("true");
    assertThat(count(collection)).isEqualTo(1);
    String shown = new JsonObject(first.body()).getString(secret);
    service
        .query("select answer from idempotency_keys")
        .forEach(row ->
            assertThat(new String(row.getBuffer("answer").getBytes(), ISO_8859_1))
                .doesNotContain(shown));
  }

  @Test
  void createsOnceForConcurrentRequests() {
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      Service at = i % 2 == 0 ? service : twin;
      answers.add(
          CompletableFuture.supplyAsync(() -> create(at, "endpoints", "at-once", ENDPOINT)));
    }

    assertThat(answers.stream().map(answer -> answer.join().statusCode())).containsOnly(201);
    assertThat(answers.stream().map(answer -> answer.join().body()).distinct()).hasSize(1);
    assertThat(count("endpoints")).isEqualTo(1);
  }

  @Test
  void refusesAKeyUsedForADifferentRequest() {
    create(service, "api-keys", "reused", KEY);

    HttpResponse<String> other = create(service, "api-keys", "reused", "{\"name\":\"other\"}");

    assertThat(other.statusCode()).isEqualTo(422);
    assertThat(other.body()).contains("another body");
    assertThat(count("api-keys")).isEqualTo(1);
  }

  @Test
  void separatesKeysByWorkspaceAndCollection() {
    create(service, "api-keys", "same", KEY);

    assertThat(create(service, "endpoints", "same", ENDPOINT).statusCode()).isEqualTo(201);
    HttpResponse<String> elsewhere =
        create(service, UUID.randomUUID(), "api-keys", "same", "{\"name\":\"elsewhere\"}");
    assertThat(elsewhere.statusCode()).isEqualTo(201);
  }

  @Test
  void doesNotRememberRefusedRequests() {
    assertThat(create(service, "endpoints", "mended", "{}").statusCode()).isEqualTo(400);
    assertThat(create(service, "endpoints", "mended", ENDPOINT).statusCode()).isEqualTo(201);
  }

  @Test
  void forgetsKeysAfterADay() {
    String first = create(service, "api-keys", "old", KEY).body();
    service.query("update idempotency_keys set created_at = now() - interval '25 hours'");

    assertThat(create(service, "api-keys", "old", KEY).body()).isNotEqualTo(first);
    service.query("update idempotency_keys set created_at = now() - interval '25 hours'");
    create(service, "api-keys", "new", KEY);
    await().until(() -> service.query("select 1 from idempotency_keys").size() == 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "with space"})
  void refusesMalformedKeys(String key) {
    assertThat(create(service, "api-keys", key, KEY).statusCode()).isEqualTo(400);
  }

  @Test
  void refusesKeysBeyondAscii() {
    String call = "POST /internal/v1/workspaces/" + UUID.randomUUID() + "/api-keys";
    String head =
        RawClient.internal(call, "idempotency-key: caf\u00e9", "content-length: " + KEY.length());
    try (RawClient client = RawClient.to(service.app.internalPort()).send(head + KEY)) {
      client.await("HTTP/1.1 400").await("idempotency-key");
    }
  }

  @Test
  void storesAnswersEncryptedOrNotAtAll() {
    try (Service without = service.twin(Map.of("EGRESS_SECRET_KEY", ""))) {
      assertThat(create(without, "api-keys", "unsealed", KEY).statusCode()).isEqualTo(503);
    }
    assertThat(count("api-keys")).isZero();
  }

  private HttpResponse<String> create(Service at, String collection, String key, String body) {
    return create(at, workspace, collection, key, body);
  }

  private static HttpResponse<String> create(
      Service at, UUID workspace, String collection, String key, String body) {
    return Service.send(
        HttpRequest.newBuilder(URI.create(at.internalUrl(path(workspace, collection))))
            .header("authorization", "Bearer " + Service.TOKEN)
            .header("idempotency-key", key)
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private int count(String collection) {
    HttpResponse<String> list = service.internal("GET", path(workspace, collection), "");
    return list.statusCode() == 404
        ? 0
        : new JsonObject(list.body()).getJsonArray(collection.replace('-', '_')).size();
  }

  private static String path(UUID workspace, String collection) {
    return "/internal/v1/workspaces/" + workspace + "/" + collection;
  }
}
