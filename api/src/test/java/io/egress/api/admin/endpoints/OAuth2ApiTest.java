package io.egress.api.admin.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.portal.Browser;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The OAuth 2.0 client of an endpoint. */
class OAuth2ApiTest {
  private static final String SECRET = "a-secret-of-the-client";
  private static final Queue<String> AUTHORIZATIONS = new ConcurrentLinkedQueue<>();

  private static Service service;
  private static String base;

  private EndpointsClient endpoints;

  @BeforeEach
  void freshWorkspace() {
    endpoints = new EndpointsClient(service, UUID.randomUUID());
  }

  @BeforeAll
  static void start() {
    service =
        Service.start(
            Map.of(
                "EGRESS_ALLOW_HTTP_ENDPOINTS", "true",
                "EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.1/32"));
    base =
        "http://127.0.0.1:"
            + Service.await(
                    service
                        .vertx
                        .createHttpServer()
                        .requestHandler(OAuth2ApiTest::answer)
                        .listen(0, "127.0.0.1"))
                .actualPort();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static void answer(HttpServerRequest request) {
    switch (request.path()) {
      case "/token" ->
          request.response().end("{\"access_token\":\"a-token\",\"token_type\":\"Bearer\"}");
      case "/broken" -> request.response().setStatusCode(401).end("{\"error\":\"invalid_client\"}");
      default -> {
        AUTHORIZATIONS.add(String.valueOf(request.getHeader("authorization")));
        request.response().end();
      }
    }
  }

  @Test
  void isShownWithoutItsSecret() {
    JsonObject without = endpoints.create(base + "/hook");
    assertThat(without.getValue("oauth2")).isNull();

    JsonObject created = create(client("/token").put("scope", "hooks").put("audience", "us"));

    JsonObject shown = client("/token").put("scope", "hooks").put("audience", "us");
    shown.remove("client_secret");
    assertThat(created.getJsonObject("oauth2")).isEqualTo(shown);
    assertThat(endpoints.show(created).getJsonObject("oauth2")).isEqualTo(shown);
    assertThat(audit())
        .contains("\"oauth2\":{")
        .contains("\"client_id\":\"egress\"")
        .doesNotContain(SECRET);
    assertThat(
            service
                .query(
                    "select encode(oauth2, 'escape') || oauth2_shown::text from endpoints where oauth2 is not null")
                .iterator()
                .next()
                .getString(0))
        .doesNotContain(SECRET);
  }

  @Test
  void testsCarryAToken() {
    JsonObject created = create(client("/token"));

    JsonObject result = test(created);

    assertThat(result.getString("outcome")).isEqualTo("delivered");
    assertThat(AUTHORIZATIONS).contains("Bearer a-token");
    assertThat(result.encode()).doesNotContain("a-token", SECRET);
  }

  @Test
  void aTestShowsWhatTheTokenServerAnswered() {
    JsonObject created = create(client("/broken"));

    JsonObject result = test(created);

    assertThat(result.getString("outcome")).isEqualTo("token");
    assertThat(result.getString("detail"))
        .isEqualTo("the token server: answered 401: invalid_client");
    assertThat(result.getString("answer")).isEqualTo("{\"error\":\"invalid_client\"}");

    String page = "/portal/" + endpoints.workspace() + "/endpoints/" + created.getString("id");
    Browser browser = Browser.at(service, endpoints.workspace(), "admin");
    assertThat(browser.submit(page, page + "/test", Map.of()).body())
        .contains("no access token", "answered 401: invalid_client");
  }

  @Test
  void isReplacedAsAWholeAndRemoved() {
    JsonObject created = create(client("/token").put("scope", "hooks"));

    JsonObject changed = change(created, client("/broken"));
    assertThat(changed.getJsonObject("oauth2").getString("token_url")).isEqualTo(base + "/broken");
    assertThat(changed.getJsonObject("oauth2").getString("scope")).isNull();
    assertThat(
            new JsonObject(endpoints.change(created, "{\"description\":\"x\"}").body())
                .getJsonObject("oauth2"))
        .isEqualTo(changed.getJsonObject("oauth2"));

    assertThat(change(created, null).getValue("oauth2")).isNull();
    AUTHORIZATIONS.clear();
    test(created);
    assertThat(AUTHORIZATIONS).contains("null");
  }

  @Test
  void isNotCombinedWithAHeaderOfTheSameName() {
    JsonObject created = create(client("/token"));
    HttpResponse<String> refused =
        endpoints.change(created, "{\"headers\":{\"Authorization\":\"Basic x\"}}");
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(EndpointsClient.message(refused)).contains("oauth2: cannot be combined");

    assertThat(
            endpoints
                .change(created, "{\"headers\":{\"authorization\":\"Basic x\"},\"oauth2\":null}")
                .statusCode())
        .isEqualTo(200);
    assertThat(
            endpoints
                .change(created, new JsonObject().put("oauth2", client("/token")).encode())
                .statusCode())
        .isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "5 | oauth2: must be an object",
        "{} | oauth2.token_url: is required",
        "{\"token_url\":\"https://a.example\",\"client_id\":\"a\"} | oauth2.client_secret: is required",
        "{\"token_url\":\"https://10.0.0.1/\",\"client_id\":\"a\",\"client_secret\":\"b\"} | oauth2.token_url: the address must be public",
        "{\"token_url\":\"ftp://a.example\",\"client_id\":\"a\",\"client_secret\":\"b\"} | oauth2.token_url: the scheme must be"
      })
  void refusesInvalidClients(String client, String message) {
    JsonObject created = endpoints.create(base + "/hook");

    HttpResponse<String> refused = endpoints.change(created, "{\"oauth2\":" + client + "}");

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(EndpointsClient.message(refused)).contains(message);
    assertThat(endpoints.show(created).getValue("oauth2")).isNull();
  }

  @Test
  void aPersonSetsAndRemovesIt() {
    JsonObject created = endpoints.create(base + "/hook");
    String page = "/portal/" + endpoints.workspace() + "/endpoints/" + created.getString("id");
    Browser browser = Browser.at(service, endpoints.workspace(), "admin");

    browser.submit(
        page,
        page + "/oauth2",
        Map.of("token_url", base + "/token", "client_id", "egress", "client_secret", SECRET));

    assertThat(endpoints.show(created).getJsonObject("oauth2").getString("client_id"))
        .isEqualTo("egress");
    assertThat(browser.get(page).body()).contains(base + "/token").doesNotContain(SECRET);
    assertThat(browser.get("/portal/" + endpoints.workspace() + "/audit").body())
        .contains("the OAuth 2.0 client from none to egress at " + base + "/token");
    HttpResponse<String> refused =
        browser.submit(
            page,
            page + "/oauth2",
            Map.of("token_url", "nowhere", "client_id", "other", "client_secret", SECRET));
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body())
        .contains("id=\"token_url-problem\"", "value=\"nowhere\"", "id=\"oauth2\" open")
        .doesNotContain(SECRET);

    browser.submit(page, page + "/oauth2", Map.of("remove", "true"));
    assertThat(endpoints.show(created).getValue("oauth2")).isNull();
  }

  private static JsonObject client(String path) {
    return new JsonObject()
        .put("token_url", base + path)
        .put("client_id", "egress")
        .put("client_secret", SECRET)
        .putNull("scope")
        .putNull("audience");
  }

  private JsonObject create(JsonObject client) {
    HttpResponse<String> answer =
        service.internal(
            "POST",
            endpoints.path(),
            new JsonObject().put("url", base + "/hook").put("oauth2", client));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    assertThat(answer.body()).doesNotContain(SECRET);
    return new JsonObject(answer.body());
  }

  private JsonObject change(JsonObject endpoint, @Nullable JsonObject client) {
    HttpResponse<String> answer =
        endpoints.change(endpoint, new JsonObject().put("oauth2", client).encode());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private JsonObject test(JsonObject endpoint) {
    HttpResponse<String> answer = service.internal("POST", endpoints.at(endpoint) + "/test", "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private String audit() {
    return service
        .internal("GET", "/internal/v1/workspaces/" + endpoints.workspace() + "/audit", "")
        .body();
  }
}
