package io.egress.api.endpoints;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.api.Service;
import io.egress.endpoint.EndpointStore;
import io.egress.endpoint.EndpointTarget;
import io.egress.endpoint.SecretBox;
import io.egress.endpoint.UnknownSecretKeyException;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointsApiTest {
  private static final String URL = "https://example.com/hook";

  private static Service service;
  private static EndpointStore store;

  private final UUID workspace = UUID.randomUUID();
  private final String path = "/internal/v1/workspaces/" + workspace + "/endpoints";

  @BeforeAll
  static void start() {
    service = Service.start();
    store = new EndpointStore(service.database);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void createsAnEndpointAndShowsItsSecretThisOneTime() {
    HttpResponse<String> answer =
        service.internal(
            "POST",
            path,
            new JsonObject().put("url", "HTTPS://Example.COM:443/hook").put("description", "CRM"));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    JsonObject created = new JsonObject(answer.body());
    assertThat(created.fieldNames())
        .containsExactly(
            "id",
            "url",
            "description",
            "secret",
            "full_history",
            "paused",
            "created_position",
            "created_at");
    String secret = created.getString("secret");
    assertThat(secret).matches("whsec_[A-Za-z0-9_-]{43}");
    JsonObject shown = created.copy();
    shown.remove("secret");
    assertThat(shown.getString("url")).isEqualTo(URL);
    assertThat(shown.getBoolean("full_history")).isFalse();
    assertThat(shown.getBoolean("paused")).isFalse();
    assertThat(shown.getLong("created_position")).isZero();
    assertThat(show(created)).isEqualTo(shown);
    assertThat(list()).containsExactly(shown);
    assertThat(change(created, "{\"paused\":false}").body()).doesNotContain(secret);
  }

  @Test
  void keepsASecretSealed() {
    JsonObject created = create(URL);
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
    assertThat(opened(created, Service.SECRET_KEY)).isEqualTo(secret);
  }

  @Test
  void sealsWithTheFirstKeyAndOpensWithAll() {
    JsonObject before = create(URL);
    String newKey = SecretBox.newKey();
    String both = newKey + "," + Service.SECRET_KEY;
    try (Service rotated = service.twin(Map.of("EGRESS_SECRET_KEY", both))) {
      JsonObject after =
          new JsonObject(rotated.internal("POST", path, new JsonObject().put("url", URL)).body());

      assertThat(opened(before, both)).isEqualTo(before.getString("secret"));
      assertThat(opened(after, newKey)).isEqualTo(after.getString("secret"));
      assertThatThrownBy(() -> opened(after, Service.SECRET_KEY))
          .isInstanceOf(UnknownSecretKeyException.class);
    }
  }

  @Test
  void createsNoneWithoutASecretKey() {
    JsonObject existing = create(URL);
    try (Service keyless = service.twin(Map.of("EGRESS_SECRET_KEY", ""))) {
      HttpResponse<String> answer =
          keyless.internal("POST", path, new JsonObject().put("url", URL));

      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("EGRESS_SECRET_KEY");
      assertThat(list()).hasSize(1);
      assertThat(keyless.internal("DELETE", at(existing), "").statusCode()).isEqualTo(204);
    }
  }

  @Test
  void namesEveryFaultOfABody() {
    HttpResponse<String> creation =
        service.internal(
            "POST",
            path,
            "{\"url\":\"http://u:p@10.0.0.1/#a\",\"description\":5,\"full_history\":\"yes\"}");
    assertThat(creation.statusCode()).isEqualTo(400);
    assertThat(message(creation))
        .contains("url: the scheme must be https, not http")
        .contains("url: the URL must not carry a user name")
        .contains("url: the URL must not have a fragment")
        .contains("description: must be a string")
        .contains("full_history: must be true or false");

    HttpResponse<String> change =
        change(create(URL), "{\"url\":null,\"description\":[],\"paused\":null}");
    assertThat(change.statusCode()).isEqualTo(400);
    assertThat(message(change))
        .contains("url: is required")
        .contains("description: must be a string")
        .contains("paused: is required");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | url: is required",
        "{\"url\":\" \"} | url: must not be blank",
        "{\"url\":7} | url: must be a string, not a number",
        "{\"url\":\"https://10.1.2.3/\"} | url: the address must be public: 10.1.2.3 is private",
        "{\"url\":\"https://[::ffff:127.0.0.1]/\"} | url: the address must be public: 127.0.0.1",
        "{\"url\":\"https://169.254.169.254/latest\"} | url: the address must be public",
        "{\"url\":\"ftp://example.com\"} | url: the scheme must be https, not ftp",
        "[] | must be a JSON object",
        "'' | the body is empty",
      })
  void createsNothingFromAFaultyBody(String body, String fault) {
    HttpResponse<String> answer = service.internal("POST", path, body);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(message(answer)).contains(fault);
    assertThat(list()).isEmpty();
  }

  @Test
  void takesHttpAndPrivateAddressesWhereTheSettingsAllowThem() {
    try (Service lenient =
        service.twin(
            Map.of(
                "EGRESS_ALLOW_HTTP_ENDPOINTS",
                "true",
                "EGRESS_ALLOW_ENDPOINT_NETWORKS",
                "127.0.0.0/8"))) {
      assertThat(status(lenient, "http://127.0.0.1:9000/hook")).isEqualTo(201);
      assertThat(status(lenient, "http://10.0.0.1/hook")).isEqualTo(400);
    }
  }

  @Test
  void changesOnlyWhatABodyNames() {
    JsonObject created = create(URL);
    created.remove("secret");

    assertThat(new JsonObject(change(created, "{\"description\":\"CRM\"}").body()))
        .isEqualTo(created.put("description", "CRM"));
    assertThat(
            new JsonObject(
                change(created, "{\"url\":\"https://example.org\",\"paused\":true}").body()))
        .isEqualTo(created.put("url", "https://example.org/").put("paused", true));
    assertThat(new JsonObject(change(created, "{\"description\":null}").body()))
        .isEqualTo(created.putNull("description"));
    assertThat(show(created)).isEqualTo(created);
    assertThat(message(change(created, "{\"name\":\"x\"}"))).contains("at least one of url");
    assertThat(message(change(created, "{\"url\":\"https://127.0.0.1\"}"))).contains("url: ");
    assertThat(show(created)).isEqualTo(created);
  }

  @Test
  void showsAChangeAndADeletionToEveryoneAtOnce() {
    JsonObject created = create(URL);
    UUID id = UUID.fromString(created.getString("id"));
    change(created, "{\"url\":\"https://example.org/new\",\"paused\":true}");

    EndpointTarget changed = target(id);
    assertThat(changed.url()).isEqualTo("https://example.org/new");
    assertThat(changed.paused()).isTrue();
    assertThat(changed.isLiveAt(1)).isTrue();
    assertThat(targets()).containsExactly(changed);

    assertThat(service.internal("DELETE", at(created), "").statusCode()).isEqualTo(204);

    assertThat(target(id).deleted()).isTrue();
    assertThat(target(id).isLiveAt(1)).isFalse();
    assertThat(targets()).isEmpty();
    assertThat(list()).isEmpty();
    assertThat(service.internal("GET", at(created), "").statusCode()).isEqualTo(404);
    assertThat(change(created, "{\"paused\":false}").statusCode()).isEqualTo(404);
    assertThat(service.internal("DELETE", at(created), "").statusCode()).isEqualTo(404);
  }

  @Test
  void reachesOnlyItsOwnWorkspace() {
    JsonObject created = create(URL);
    String elsewhere = at(created).replace(workspace.toString(), UUID.randomUUID().toString());

    for (String method : List.of("GET", "PATCH", "DELETE")) {
      String body = method.equals("PATCH") ? "{\"paused\":true}" : "";
      HttpResponse<String> answer = service.internal(method, elsewhere, body);
      assertThat(answer.statusCode()).as(method).isEqualTo(404);
      assertThat(message(answer)).isEqualTo("no such endpoint in this workspace");
    }
    assertThat(show(created).getBoolean("paused")).isFalse();
  }

  @Test
  void refusesIdsThatAreNone() {
    for (String method : List.of("GET", "PATCH", "DELETE")) {
      assertThat(message(service.internal(method, path + "/1", "{\"paused\":true}")))
          .isEqualTo("the endpoint id must be a UUID");
    }
    for (String method : List.of("GET", "POST")) {
      assertThat(message(service.internal(method, "/internal/v1/workspaces/1/endpoints", "{}")))
          .isEqualTo("the workspace id must be a UUID");
    }
  }

  @Test
  void tellsWhatThePathsTake() {
    HttpResponse<String> answer = service.internal("PUT", path, "{}");
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("allow")).contains("GET, POST");
  }

  private JsonObject create(String url) {
    HttpResponse<String> answer = service.internal("POST", path, new JsonObject().put("url", url));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return new JsonObject(answer.body());
  }

  private int status(Service asked, String url) {
    return asked.internal("POST", path, new JsonObject().put("url", url)).statusCode();
  }

  private JsonObject show(JsonObject endpoint) {
    return new JsonObject(service.internal("GET", at(endpoint), "").body());
  }

  private List<Object> list() {
    return new JsonObject(service.internal("GET", path, "").body())
        .getJsonArray("endpoints").stream().toList();
  }

  private HttpResponse<String> change(JsonObject endpoint, String body) {
    return service.internal("PATCH", at(endpoint), body);
  }

  private String at(JsonObject endpoint) {
    return path + "/" + endpoint.getString("id");
  }

  private List<EndpointTarget> targets() {
    return Service.await(store.forWorkspaces(List.of(workspace, UUID.randomUUID())))
        .getOrDefault(workspace, List.of());
  }

  private static EndpointTarget target(UUID id) {
    return requireNonNull(Service.await(store.byIds(List.of(id))).get(id));
  }

  private static String opened(JsonObject endpoint, String secretKey) {
    UUID id = UUID.fromString(endpoint.getString("id"));
    return SecretBox.parse(secretKey).open(target(id).sealedSecret().getBytes(), id);
  }

  private static String message(HttpResponse<String> answer) {
    return new JsonObject(answer.body()).getJsonObject("error").getString("message");
  }
}
