package io.egress.api.admin.endpoints;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.api.Service;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.delivery.EnteredCapture;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.EndpointTargets;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.Subscriber;
import io.egress.webhook.endpoint.Subscribers;
import io.egress.webhook.endpoint.UnknownSecretKeyException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EndpointsApiTest {
  private static final String URL = "https://example.com/hook";

  private static final EnteredCapture FIRST =
      new EnteredCapture(1, UUID.randomUUID(), Instant.EPOCH, null);

  private static final Service service = Service.shared();

  private final UUID workspace = UUID.randomUUID();
  private EndpointsClient endpoints;

  @BeforeAll
  static void start() {}

  @BeforeEach
  void freshWorkspace() {
    endpoints = new EndpointsClient(service, workspace);
  }

  @Test
  void showsTheSecretOnlyWhenTheEndpointIsCreated() {
    HttpResponse<String> answer =
        service.internal(
            "POST",
            endpoints.path(),
            new JsonObject().put("url", "HTTPS://Example.COM:443/hook").put("description", "CRM"));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    JsonObject created = new JsonObject(answer.body());
    assertThat(created.fieldNames())
        .containsExactlyInAnyOrder(
            "id",
            "url",
            "description",
            "secret",
            "standard_webhooks_secret",
            "delivery",
            "batch",
            "max_body",
            "position",
            "behind",
            "changes_position",
            "held",
            "full_history",
            "headers",
            "max_per_second",
            "max_in_flight",
            "client_certificate",
            "oauth2",
            "standard_webhooks",
            "events",
            "payload",
            "compress",
            "filter",
            "paused",
            "paused_at",
            "paused_reason",
            "created_position",
            "created_at",
            "previous_secret_until",
            "public_keys");
    String secret = created.getString("secret");
    assertThat(secret).matches("whsec_[A-Za-z0-9_-]{43}");
    JsonObject shown = created.copy();
    shown.remove("secret");
    shown.remove("standard_webhooks_secret");
    assertThat(shown.getString("url")).isEqualTo(URL);
    assertThat(shown.getBoolean("full_history")).isFalse();
    assertThat(shown.getBoolean("paused")).isFalse();
    assertThat(shown.getLong("created_position")).isZero();
    assertThat(endpoints.show(created)).isEqualTo(shown);
    JsonObject listed = (JsonObject) endpoints.list().getFirst();
    listed.getMap().keySet().retainAll(shown.fieldNames());
    assertThat(listed).isEqualTo(shown);
    assertThat(endpoints.change(created, "{\"paused\":false}").body()).doesNotContain(secret);
  }

  @Test
  void storesSecretsEncrypted() {
    JsonObject created = endpoints.create(URL);
    String secret = created.getString("secret");

    String row =
        service
            .query("select e::text from endpoints e where id = '" + created.getString("id") + "'")
            .iterator()
            .next()
            .getString(0);
    assertThat(row)
        .contains(URL)
        .doesNotContain(secret)
        .doesNotContain(HexFormat.of().formatHex(secret.getBytes(UTF_8)));
    assertThat(opened(service, created, Service.SECRET_KEY)).isEqualTo(secret);
  }

  /** On a database of its own: nobody else there knows the new key. */
  @Test
  void encryptsWithTheFirstKeyAndDecryptsWithAll() {
    String newKey = SecretBox.newKey();
    String both = newKey + "," + Service.SECRET_KEY;
    try (Service first = Service.start();
        Service rotated = first.twin(Map.of("EGRESS_SECRET_KEY", both))) {
      JsonObject before = created(first);
      JsonObject after = created(rotated);

      assertThat(opened(first, before, both)).isEqualTo(before.getString("secret"));
      assertThat(opened(first, after, newKey)).isEqualTo(after.getString("secret"));
      assertThatThrownBy(() -> opened(first, after, Service.SECRET_KEY))
          .isInstanceOf(UnknownSecretKeyException.class);
    }
  }

  private JsonObject created(Service where) {
    return new JsonObject(
        where.internal("POST", endpoints.path(), new JsonObject().put("url", URL)).body());
  }

  @Test
  void createsNoEndpointWithoutASecretKey() {
    JsonObject existing = endpoints.create(URL);
    try (Service keyless = service.twin(Map.of("EGRESS_SECRET_KEY", ""))) {
      HttpResponse<String> answer =
          keyless.internal("POST", endpoints.path(), new JsonObject().put("url", URL));

      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("EGRESS_SECRET_KEY");
      assertThat(endpoints.list()).hasSize(1);
      assertThat(keyless.internal("DELETE", endpoints.at(existing), "").statusCode())
          .isEqualTo(204);
    }
  }

  @Test
  void changesOnlyTheFieldsOfTheBody() {
    JsonObject created = endpoints.create(URL);
    created.remove("secret");
    created.remove("standard_webhooks_secret");

    assertThat(new JsonObject(endpoints.change(created, "{\"description\":\"CRM\"}").body()))
        .isEqualTo(created.put("description", "CRM").put("dropped", new JsonArray()));
    JsonObject paused =
        new JsonObject(
            endpoints.change(created, "{\"url\":\"https://example.org\",\"paused\":true}").body());
    created
        .put("url", "https://example.org/")
        .put("paused", true)
        .put("paused_at", paused.getString("paused_at"))
        .put("paused_reason", "requested");
    assertThat(paused).isEqualTo(created);
    assertThat(new JsonObject(endpoints.change(created, "{\"description\":null}").body()))
        .isEqualTo(created.putNull("description"));
    created.remove("dropped");
    assertThat(endpoints.show(created)).isEqualTo(created);
    assertThat(EndpointsClient.message(endpoints.change(created, "{\"name\":\"x\"}")))
        .contains("at least one of url");
    assertThat(
            EndpointsClient.message(endpoints.change(created, "{\"url\":\"https://127.0.0.1\"}")))
        .contains("url: ");
    assertThat(endpoints.show(created)).isEqualTo(created);
  }

  @Test
  void showsChangesAndDeletionsImmediately() {
    JsonObject created = endpoints.create(URL);
    UUID id = UUID.fromString(created.getString("id"));
    endpoints.change(created, "{\"url\":\"https://example.org/new\",\"paused\":true}");

    EndpointTarget changed = target(service, id);
    assertThat(changed.spec().url()).isEqualTo("https://example.org/new");
    assertThat(changed.paused()).isTrue();
    Subscriber subscriber = subscribers().getFirst();
    assertThat(subscriber.id()).isEqualTo(id);
    assertThat(subscriber.paused()).isTrue();
    assertThat(subscriber.getsLive(FIRST)).isTrue();

    assertThat(service.internal("DELETE", endpoints.at(created), "").statusCode()).isEqualTo(204);

    assertThat(target(service, id).deleted()).isTrue();
    assertThat(subscribers()).isEmpty();
    assertThat(endpoints.list()).isEmpty();
    assertThat(service.internal("GET", endpoints.at(created), "").statusCode()).isEqualTo(404);
    assertThat(endpoints.change(created, "{\"paused\":false}").statusCode()).isEqualTo(404);
    assertThat(service.internal("DELETE", endpoints.at(created), "").statusCode()).isEqualTo(404);
  }

  @Test
  void isScopedToItsWorkspace() {
    JsonObject created = endpoints.create(URL);
    String elsewhere =
        endpoints.at(created).replace(workspace.toString(), UUID.randomUUID().toString());

    for (String method : List.of("GET", "PATCH", "DELETE")) {
      String body = method.equals("PATCH") ? "{\"paused\":true}" : "";
      HttpResponse<String> answer = service.internal(method, elsewhere, body);
      assertThat(answer.statusCode()).as(method).isEqualTo(404);
      assertThat(EndpointsClient.message(answer)).isEqualTo("no such endpoint in this workspace");
    }
    assertThat(endpoints.show(created).getBoolean("paused")).isFalse();
  }

  @Test
  void refusesMalformedIds() {
    for (String method : List.of("GET", "PATCH", "DELETE")) {
      assertThat(
              EndpointsClient.message(
                  service.internal(method, endpoints.path() + "/1", "{\"paused\":true}")))
          .isEqualTo("the endpoint id must be a UUID");
    }
    for (String method : List.of("GET", "POST")) {
      assertThat(
              EndpointsClient.message(
                  service.internal(method, "/internal/v1/workspaces/1/endpoints", "{}")))
          .isEqualTo("the workspace id must be a UUID");
    }
  }

  @Test
  void answersOptionsWithTheAllowedMethods() {
    HttpResponse<String> answer = service.internal("PUT", endpoints.path(), "{}");
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("allow")).contains("GET, HEAD, OPTIONS, POST");
  }

  private List<Subscriber> subscribers() {
    ProcessedCapture entered = new ProcessedCapture(workspace, 1, UUID.randomUUID(), Instant.EPOCH);
    return Service.await(Subscribers.of(service.database, List.of(entered))).of(entered);
  }

  private static EndpointTarget target(Service where, UUID id) {
    return requireNonNull(
        Service.await(EndpointTargets.byIds(where.database, List.of(id))).get(id));
  }

  private static String opened(Service where, JsonObject endpoint, String secretKey) {
    UUID id = UUID.fromString(endpoint.getString("id"));
    byte[] sealed = target(where, id).setup().sealedSecrets().get(0).getBytes();
    return SecretBox.parse(secretKey).open(sealed, id);
  }
}
