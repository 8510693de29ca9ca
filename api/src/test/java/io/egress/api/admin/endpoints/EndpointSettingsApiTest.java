package io.egress.api.admin.endpoints;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.testing.CertificateAuthority;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.EndpointTargets;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.StandardWebhooks;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers, limits and the pause of endpoints. */
class EndpointSettingsApiTest {
  private static final String URL = "https://example.com/hook";

  private static final CertificateAuthority AUTHORITY = new CertificateAuthority();

  private static Service service;

  private EndpointsClient endpoints;

  @BeforeAll
  static void start() {
    service = Service.start();
  }

  @BeforeEach
  void freshWorkspace() {
    endpoints = new EndpointsClient(service, UUID.randomUUID());
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /** As after a rollback. */
  @Test
  void whatANewerReleaseSaidOfAnEndpointStays() {
    JsonObject endpoint = endpoints.create(URL);
    service.query(
        """
        update endpoints
        set spec = spec || '{"events":["capture.processed","capture.translated"],"shape":"round"}'
        where id = '%s'
        """
            .formatted(endpoint.getString("id")));

    JsonObject changed = change(endpoint, "{\"description\":\"x\"}");

    assertThat(changed.getString("description")).isEqualTo("x");
    assertThat(changed.getJsonArray("events")).containsExactly("capture.processed");
    JsonObject spec =
        service
            .query("select spec from endpoints where id = '%s'".formatted(endpoint.getString("id")))
            .iterator()
            .next()
            .getJsonObject(0);
    assertThat(spec.getString("shape")).isEqualTo("round");
    assertThat(spec.getJsonArray("events"))
        .containsExactly("capture.processed", "capture.translated");
    assertThat(spec.getString("description")).isEqualTo("x");
  }

  /** Each is kept. The form of the page sends the filter with every change. */
  @Test
  void aFilterChangesAHundredTimesAndStaysAsOftenAsOneLikes() {
    JsonObject endpoint = endpoints.create(URL);
    String filter = "{\"filter\":{\"modes\":[\"%s\"]}}";
    for (int i = 0; i < 100; i++) {
      change(endpoint, filter.formatted(i % 2 == 0 ? "manual" : "ambient"));
    }

    HttpResponse<String> refused = endpoints.change(endpoint, filter.formatted("manual"));
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(EndpointsClient.message(refused)).contains("changed 100 times");
    assertThat(
            change(endpoint, "{\"description\":\"x\",\"filter\":{\"modes\":[\"ambient\"]}}")
                .getString("description"))
        .isEqualTo("x");
  }

  @Test
  void eventsAreThoseOfTheStreamUnlessMoreAreAskedFor() {
    JsonArray processed = new JsonArray().add("capture.processed");
    JsonArray both = processed.copy().add("capture.erased");
    JsonObject without = endpoints.create(URL);
    assertThat(without.getJsonArray("events")).isEqualTo(processed);

    JsonObject with =
        new JsonObject(
            service
                .internal(
                    "POST", endpoints.path(), new JsonObject().put("url", URL).put("events", both))
                .body());
    assertThat(with.getJsonArray("events")).isEqualTo(both);
    assertThat(change(with, "{\"description\":\"x\"}").getJsonArray("events")).isEqualTo(both);
    assertThat(change(with, "{\"events\":[\"capture.processed\"]}").getJsonArray("events"))
        .isEqualTo(processed);
    assertThat(audit()).contains("\"events\":");
    for (String wrong :
        List.of(
            "null",
            "[]",
            "\"capture.erased\"",
            "[\"capture.erased\"]",
            "[\"capture.processed\",\"capture.deleted\"]",
            "[\"capture.processed\",1]",
            "[\"capture.processed\",\"capture.processed\"]")) {
      HttpResponse<String> refused = endpoints.change(with, "{\"events\":%s}".formatted(wrong));
      assertThat(refused.statusCode()).as(wrong).isEqualTo(400);
      assertThat(EndpointsClient.message(refused)).as(wrong).contains("events: must");
    }
  }

  @Test
  void setsHeadersAndLimitsWithoutShowingHeaderValues() {
    HttpResponse<String> answer =
        service.internal(
            "POST",
            endpoints.path(),
            new JsonObject()
                .put("url", URL)
                .put("headers", new JsonObject().put("Authorization", "Bearer abc").put("x-b", "1"))
                .put("max_per_second", 100)
                .put("max_in_flight", 3));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    JsonObject created = new JsonObject(answer.body());

    JsonObject shown = endpoints.show(created);

    assertThat(shown.getJsonArray("headers"))
        .isEqualTo(new JsonArray("[\"authorization\",\"x-b\"]"));
    assertThat(shown.getInteger("max_per_second")).isEqualTo(100);
    assertThat(shown.getInteger("max_in_flight")).isEqualTo(3);
    assertThat(answer.body()).doesNotContain("Bearer abc");
    assertThat(stored(created)).doesNotContain("Bearer abc").contains("authorization");
    assertThat(headers(created, Service.SECRET_KEY))
        .isEqualTo(Map.of("authorization", "Bearer abc", "x-b", "1"));
    assertThat(audit()).contains("authorization").doesNotContain("Bearer abc");
  }

  @Test
  void changesHeadersOneByOne() {
    JsonObject created = endpoints.create(URL);
    change(created, "{\"headers\":{\"X-A\":\"1\",\"x-b\":\"2\"}}");
    change(created, "{\"headers\":{\"x-a\":\"changed\",\"X-C\":\"3\",\"x-b\":null}}");

    assertThat(headers(created, Service.SECRET_KEY))
        .isEqualTo(Map.of("x-a", "changed", "x-c", "3"));
    assertThat(audit())
        .contains("\"headers\":{\"set\":[\"x-a\",\"x-c\"],\"removed\":[\"x-b\"]}")
        .doesNotContain("changed\"}");

    change(created, "{\"headers\":{}}");
    assertThat(endpoints.show(created).getJsonArray("headers")).hasSize(2);
    change(created, "{\"headers\":null}");
    assertThat(endpoints.show(created).getJsonArray("headers")).isEmpty();
    assertThat(headers(created, Service.SECRET_KEY)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://other.example/hook",
        "https://example.com:8443/hook",
        "https://a.example.com/hook"
      })
  void anotherReceiverGetsNoSecretsOfTheOneBefore(String url) {
    JsonObject created = endpoints.create(URL);
    changeSecrets(created, URL);

    JsonObject changed = change(created, new JsonObject().put("url", url).encode());

    assertThat(changed.getJsonArray("dropped"))
        .containsExactly("headers", "client_certificate", "oauth2");
    assertThat(changed.getJsonArray("headers")).isEmpty();
    assertThat(changed.getValue("client_certificate")).isNull();
    assertThat(changed.getValue("oauth2")).isNull();
    assertThat(headers(created, Service.SECRET_KEY)).isEmpty();
    assertThat(audit()).contains("\"headers\":{\"set\":[],\"removed\":[\"x-api-secret\",\"x-b\"]}");
    assertThat(change(created, new JsonObject().put("url", URL).encode()).getJsonArray("dropped"))
        .as("nothing left")
        .isEmpty();
    assertThat(endpoints.show(created).getJsonArray("headers")).isEmpty();
  }

  @Test
  void anotherReceiverGetsTheSecretsThatAreGivenWithItsUrl() {
    JsonObject created = endpoints.create(URL);
    changeSecrets(created, URL);

    JsonObject moved =
        change(
            created,
            new JsonObject()
                .put("url", "https://other.example/hook")
                .put("headers", new JsonObject().put("x-b", "3"))
                .put("oauth2", client())
                .encode());

    assertThat(moved.getJsonArray("dropped")).containsExactly("headers", "client_certificate");
    assertThat(headers(created, Service.SECRET_KEY)).isEqualTo(Map.of("x-b", "3"));
    assertThat(moved.getJsonObject("oauth2").getString("client_id")).isEqualTo("egress");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://example.com/other?x=1",
        "https://EXAMPLE.com:443/hook",
        "https://example.com/hook"
      })
  void theSameReceiverKeepsItsSecrets(String url) {
    JsonObject created = endpoints.create(URL);
    changeSecrets(created, URL);

    JsonObject changed = change(created, new JsonObject().put("url", url).encode());

    assertThat(changed.getJsonArray("dropped")).isEmpty();
    assertThat(headers(created, Service.SECRET_KEY)).hasSize(2);
    assertThat(changed.getJsonObject("client_certificate")).isNotNull();
    assertThat(changed.getJsonObject("oauth2")).isNotNull();
  }

  private void changeSecrets(JsonObject endpoint, String url) {
    change(
        endpoint,
        new JsonObject()
            .put("url", url)
            .put("headers", new JsonObject().put("x-api-secret", "1").put("x-b", "2"))
            .put("client_certificate", pair(AUTHORITY.issueFor()))
            .put("oauth2", client())
            .encode());
  }

  private static JsonObject client() {
    return new JsonObject()
        .put("token_url", "https://login.example/token")
        .put("client_id", "egress")
        .put("client_secret", "a-secret");
  }

  @Test
  void setsAndRemovesEachLimitSeparately() {
    JsonObject created = endpoints.create(URL);
    assertThat(endpoints.show(created).getInteger("max_per_second")).isNull();
    change(created, "{\"max_per_second\":10000,\"max_in_flight\":64}");
    assertThat(change(created, "{\"max_per_second\":null}").getInteger("max_in_flight"))
        .isEqualTo(64);
    assertThat(change(created, "{\"max_in_flight\":1}").getInteger("max_per_second")).isNull();
    assertThat(audit()).contains("\"max_per_second\":{\"to\":null,\"from\":10000}");
  }

  @Test
  void signsByStandardWebhooksOnRequest() {
    JsonObject without = endpoints.create(URL);
    assertThat(without.getBoolean("standard_webhooks")).isFalse();
    assertThat(target(service, without).spec().standardWebhooks()).isEqualTo(StandardWebhooks.OFF);
    assertThat(audit()).doesNotContain("standard_webhooks");

    JsonObject with =
        new JsonObject(
            service
                .internal(
                    "POST",
                    endpoints.path(),
                    new JsonObject().put("url", URL).put("standard_webhooks", true))
                .body());
    assertThat(with.getBoolean("standard_webhooks")).isTrue();
    assertThat(target(service, with).spec().standardWebhooks()).isEqualTo(StandardWebhooks.HMAC);
    assertThat(audit()).contains("\"standard_webhooks\":true");

    assertThat(change(with, "{\"description\":\"x\"}").getBoolean("standard_webhooks")).isTrue();
    assertThat(change(with, "{\"standard_webhooks\":false}").getBoolean("standard_webhooks"))
        .isFalse();
    assertThat(target(service, with).spec().standardWebhooks()).isEqualTo(StandardWebhooks.OFF);
    assertThat(audit()).contains("\"standard_webhooks\":{\"to\":false,\"from\":true}");
  }

  /** Processes of release 1.0.0 read the rows as well. */
  @Test
  void theKindOfSignatureIsStoredBesideABoolean() {
    JsonObject created = endpoints.create(URL);

    assertThat(
            change(created, "{\"standard_webhooks\":\"ed25519\"}").getString("standard_webhooks"))
        .isEqualTo("ed25519");
    assertThat(endpoints.show(created).getString("standard_webhooks")).isEqualTo("ed25519");
    assertThat(audit()).contains("\"standard_webhooks\":{\"to\":\"ed25519\",\"from\":false}");
    assertThat(storedSignatures(created)).isEqualTo("true true");
    assertThat(target(service, created).setup().sealedSigningKeys()).isNotEmpty();

    assertThat(change(created, "{\"description\":\"x\"}").getString("standard_webhooks"))
        .isEqualTo("ed25519");
    change(created, "{\"standard_webhooks\":true}");
    assertThat(storedSignatures(created)).isEqualTo("true false");
    assertThat(target(service, created).setup().sealedSigningKeys()).isEmpty();
  }

  private static String storedSignatures(JsonObject endpoint) {
    return service
        .query(
            "select concat_ws(' ', spec->'standard_webhooks', spec->'standard_webhooks_ed25519') from endpoints where id = '%s'"
                .formatted(endpoint.getString("id")))
        .iterator()
        .next()
        .getString(0);
  }

  @Test
  void setsAClientCertificateWithoutShowingItsKey() {
    JsonObject without = endpoints.create(URL);
    assertThat(without.getValue("client_certificate")).isNull();
    assertThat(audit()).doesNotContain("client_certificate");

    CertificateAuthority.Issued issued = AUTHORITY.issueFor();
    HttpResponse<String> answer =
        service.internal(
            "POST",
            endpoints.path(),
            new JsonObject().put("url", URL).put("client_certificate", pair(issued)));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    JsonObject with = new JsonObject(answer.body());
    JsonObject shown = endpoints.show(with).getJsonObject("client_certificate");
    assertThat(shown.fieldNames()).containsExactlyInAnyOrder("subject", "expires_at");
    assertThat(shown.getString("subject")).isEqualTo("CN=receiver");
    assertThat(Instant.parse(shown.getString("expires_at"))).isAfter(Instant.now());
    assertThat(with.getJsonObject("client_certificate")).isEqualTo(shown);
    assertThat(opened(service, with, Service.SECRET_KEY).shown().subject())
        .isEqualTo("CN=receiver");
    assertThat(stored(with) + answer.body() + audit()).doesNotContain("BEGIN");
    assertThat(audit()).contains("\"client_certificate\":{\"subject\":\"CN=receiver\"");

    assertThat(change(with, "{\"description\":\"x\"}").getJsonObject("client_certificate"))
        .isEqualTo(shown);
    JsonObject replaced =
        change(
            with, new JsonObject().put("client_certificate", pair(AUTHORITY.issueFor())).encode());
    assertThat(replaced.getJsonObject("client_certificate").getString("subject"))
        .isEqualTo("CN=receiver");
    assertThat(change(with, "{\"client_certificate\":null}").getValue("client_certificate"))
        .isNull();
    assertThat(target(service, with).setup().sealedCertificate()).isNull();
  }

  @Test
  void refusesAnUnusableClientCertificate() {
    JsonObject created = endpoints.create(URL);
    CertificateAuthority.Issued issued = AUTHORITY.issueFor();
    CertificateAuthority.Issued expired = AUTHORITY.issueExpired();
    String anothersKey = AUTHORITY.issueFor().key();
    Map<JsonObject, String> refused =
        Map.of(
            pair(expired), "client_certificate: the certificate expired at ",
            pair(issued).put("key", anothersKey),
                "client_certificate: the private key is not that of the certificate",
            pair(issued).put("certificate", "a"),
                "client_certificate: the certificate cannot be read",
            pair(issued).put("certificate", 5), "client_certificate.certificate: must be a string",
            pair(issued).putNull("key"), "client_certificate.key: must not be null",
            pair(issued).put("key", "a".repeat(16_385)),
                "client_certificate.key: must have at most 16384 characters");
    refused.forEach((pair, reason) -> {
      HttpResponse<String> answer =
          endpoints.change(created, new JsonObject().put("client_certificate", pair).encode());
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(EndpointsClient.message(answer)).contains(reason);
      assertThat(answer.body()).doesNotContain(anothersKey.substring(40, 60));
    });
    assertThat(endpoints.show(created).getValue("client_certificate")).isNull();
  }

  /** Whether the endpoint asks for it or not: it may later. */
  @Test
  void showsANewSecretInBothForms() {
    JsonObject created = endpoints.create(URL);
    JsonObject rotated =
        new JsonObject(
            service.internal("POST", endpoints.at(created) + "/rotate-secret", "").body());

    for (JsonObject issued : List.of(created, rotated)) {
      String standard = issued.getString("standard_webhooks_secret");
      assertThat(standard).startsWith("whsec_");
      assertThat(Base64.getDecoder().decode(standard.substring("whsec_".length())))
          .asString()
          .isEqualTo(issued.getString("secret"));
    }
    assertThat(endpoints.show(created).fieldNames())
        .doesNotContain("secret", "standard_webhooks_secret");
    assertThat(audit()).doesNotContain(rotated.getString("standard_webhooks_secret"), "whsec_");
  }

  @Test
  void showsSinceWhenAndWhyItIsPaused() {
    JsonObject created = endpoints.create(URL);
    JsonObject paused = change(created, "{\"paused\":true}");
    assertThat(paused.getString("paused_reason")).isEqualTo("requested");
    assertThat(paused.getString("paused_at")).isNotNull();
    assertThat(change(created, "{\"paused\":true}").getString("paused_at"))
        .isEqualTo(paused.getString("paused_at"));

    JsonObject resumed = change(created, "{\"paused\":false}");
    assertThat(resumed.getString("paused_at")).isNull();
    assertThat(resumed.getString("paused_reason")).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"headers\":5} | headers: must be an object",
        "{\"headers\":{\"Content-Type\":\"a\"}} | headers.Content-Type: is a header that cannot be set",
        "{\"headers\":{\"X-Service-Signature\":\"a\"}} | is a header that cannot be set",
        "{\"headers\":{\"connection\":\"a\"}} | is a header that cannot be set",
        "{\"headers\":{\"Host\":\"a\"}} | is a header that cannot be set",
        "{\"headers\":{\"Webhook-Id\":\"a\"}} | is a header that cannot be set",
        "{\"headers\":{\"webhook-timestamp\":\"a\"}} | is a header that cannot be set",
        "{\"headers\":{\"webhook-signature\":\"a\"}} | is a header that cannot be set",
        "{\"headers\":{\"a b\":\"a\"}} | is not a name of a header",
        "{\"headers\":{\"\":\"a\"}} | is not a name of a header",
        "{\"headers\":{\"x-a\":\"a\\r\\nx: y\"}} | must be visible ASCII characters",
        "{\"headers\":{\"x-a\":\" a\"}} | must be visible ASCII characters",
        "{\"headers\":{\"x-a\":\"\"}} | must be visible ASCII characters",
        "{\"headers\":{\"x-a\":5}} | headers.x-a: must be a string",
        "{\"headers\":{\"x-a\":\"1\",\"X-A\":\"2\"}} | is given twice",
        "{\"max_per_second\":0} | max_per_second: must be an integer from 1 to 10000",
        "{\"max_per_second\":10001} | max_per_second: must be an integer from 1 to 10000",
        "{\"max_per_second\":1.5} | max_per_second: must be an integer",
        "{\"max_in_flight\":65} | max_in_flight: must be an integer from 1 to 64",
        "{\"max_in_flight\":\"1\"} | max_in_flight: must be an integer",
        "{\"standard_webhooks\":\"yes\"} | standard_webhooks: must be true, false or \"ed25519\"",
        "{\"standard_webhooks\":5} | standard_webhooks: must be true, false or \"ed25519\"",
        "{\"standard_webhooks\":null} | standard_webhooks: must not be null",
        "{} | at least one of url, description, paused, headers, max_per_second, max_in_flight, client_certificate, oauth2, standard_webhooks"
      })
  void refusesInvalidSettings(String body, String message) {
    JsonObject created = endpoints.create(URL);
    HttpResponse<String> refused = endpoints.change(created, body);

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(EndpointsClient.message(refused)).contains(message);
    assertThat(endpoints.show(created).getJsonArray("headers")).isEmpty();
  }

  @Test
  void limitsNumberAndSizeOfHeaders() {
    JsonObject created = endpoints.create(URL);
    JsonObject many = new JsonObject();
    for (int i = 0; i < 16; i++) {
      many.put("x-" + i, "1");
    }
    change(created, new JsonObject().put("headers", many).encode());
    HttpResponse<String> more = endpoints.change(created, "{\"headers\":{\"x-16\":\"1\"}}");
    assertThat(EndpointsClient.message(more)).contains("headers: must be at most 16");
    assertThat(
            EndpointsClient.message(
                endpoints.change(created, "{\"headers\":{\"x-1\":\"" + "a".repeat(4_097) + "\"}}")))
        .contains("must have at most 4096 characters");
    String half = "a".repeat(4_096);
    assertThat(
            EndpointsClient.message(
                endpoints.change(
                    created,
                    "{\"headers\":{\"x-1\":\"%s\",\"x-2\":\"%s\"}}".formatted(half, half))))
        .contains("must have at most 8192 characters in all");
    assertThat(
            EndpointsClient.message(
                service.internal(
                    "POST",
                    endpoints.path(),
                    new JsonObject().put("url", URL).put("headers", many.copy().put("x-16", "1")))))
        .contains("headers: must be at most 16");
  }

  @Test
  void isScopedToItsWorkspace() {
    JsonObject created = endpoints.create(URL);
    EndpointsClient others = new EndpointsClient(service, UUID.randomUUID());

    assertThat(others.change(created, "{\"headers\":{\"x-a\":\"1\"}}").statusCode()).isEqualTo(404);
    assertThat(endpoints.show(created).getJsonArray("headers")).isEmpty();
  }

  @Test
  void resealsHeadersAndCertificatesWithTheCurrentKey() {
    String old = SecretBox.newKey();
    String fresh = SecretBox.newKey();
    try (Service before = Service.start(Map.of("EGRESS_SECRET_KEY", "old:" + old))) {
      EndpointsClient calls = new EndpointsClient(before, UUID.randomUUID());
      JsonObject created = calls.create(URL);
      JsonObject certified = calls.create(URL);
      calls.change(created, "{\"headers\":{\"x-a\":\"1\"}}");
      calls.change(
          certified,
          new JsonObject().put("client_certificate", pair(AUTHORITY.issueFor())).encode());
      try (Service both =
          before.twin(Map.of("EGRESS_SECRET_KEY", "new:" + fresh + ",old:" + old))) {
        JsonObject keys =
            new JsonObject(both.internal("POST", "/internal/v1/secret-keys/reseal", "").body());
        assertThat(keys.getJsonArray("secret_keys")).hasSize(1);
        assertThat(keys.getJsonArray("secret_keys").getJsonObject(0).getLong("secrets"))
            .as("two secrets, headers and a certificate")
            .isEqualTo(4);
        assertThat(opened(both, certified, "new:" + fresh).shown().subject())
            .isEqualTo("CN=receiver");
        assertThat(headers(both, created, "new:" + fresh)).isEqualTo(Map.of("x-a", "1"));
      }
      try (Service without =
          before.twin(Map.of("EGRESS_SECRET_KEY", "third:" + SecretBox.newKey()))) {
        assertThat(
                new EndpointsClient(without, calls.workspace())
                    .change(created, "{\"headers\":{\"x-b\":\"1\"}}")
                    .statusCode())
            .isEqualTo(409);
      }
    }
  }

  private JsonObject change(JsonObject endpoint, String body) {
    HttpResponse<String> answer = endpoints.change(endpoint, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private static Map<String, String> headers(JsonObject endpoint, String key) {
    return headers(service, endpoint, key);
  }

  private static Map<String, String> headers(Service of, JsonObject endpoint, String key) {
    UUID id = UUID.fromString(endpoint.getString("id"));
    return CustomHeaders.open(
            target(of, endpoint).setup().sealedHeaders(), SecretBox.parse(key), id)
        .values();
  }

  private static JsonObject pair(CertificateAuthority.Issued issued) {
    return new JsonObject().put("certificate", issued.certificate()).put("key", issued.key());
  }

  private static ClientCertificate opened(Service of, JsonObject endpoint, String key) {
    return ClientCertificate.open(
        requireNonNull(target(of, endpoint).setup().sealedCertificate()),
        SecretBox.parse(key),
        UUID.fromString(endpoint.getString("id")));
  }

  private static EndpointTarget target(Service of, JsonObject endpoint) {
    UUID id = UUID.fromString(endpoint.getString("id"));
    return Service.await(EndpointTargets.byIds(of.database, List.of(id)))
        .values()
        .iterator()
        .next();
  }

  private static String stored(JsonObject endpoint) {
    return service
        .query("select e::text from endpoints e where id = '" + endpoint.getString("id") + "'")
        .iterator()
        .next()
        .getString(0);
  }

  private String audit() {
    return service
        .internal("GET", "/internal/v1/workspaces/" + endpoints.workspace() + "/audit", "")
        .body();
  }
}
