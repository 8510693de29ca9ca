package io.egress.api.admin.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.portal.Browser;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.OAuth2Client;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Endpoints that are made like another one. */
class CloneApiTest {
  private static final Service service = Service.shared();

  private final UUID workspace = UUID.randomUUID();
  private final EndpointsClient endpoints = new EndpointsClient(service, workspace);

  private JsonObject cloned(JsonObject original, JsonObject body) {
    HttpResponse<String> answer = cloning(original, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return new JsonObject(answer.body());
  }

  private HttpResponse<String> cloning(JsonObject original, JsonObject body) {
    return service.internal("POST", endpoints.at(original) + "/clone", body);
  }

  private JsonObject original(JsonObject more) {
    return endpoints.create(
        new JsonObject()
            .put("url", "https://receiver.invalid/hook")
            .put("description", "CRM")
            .put("max_per_second", 20)
            .put("max_in_flight", 3)
            .put("standard_webhooks", "ed25519")
            .put("payload", "reference")
            .put("events", new JsonArray(List.of("capture.processed", "capture.erased")))
            .put("filter", new JsonObject().put("modes", new JsonArray(List.of("manual"))))
            .mergeIn(more));
  }

  @Test
  void hasEverythingButSecretAndKeyPair() {
    JsonObject oauth2 =
        new JsonObject()
            .put("token_url", "https://tokens.invalid/token")
            .put("client_id", "egress")
            .put("client_secret", "sesame");
    JsonObject original =
        original(
            new JsonObject()
                .put("headers", new JsonObject().put("x-tenant", "42"))
                .put("oauth2", oauth2));

    JsonObject clone = cloned(original, new JsonObject());

    List<String> itsOwn =
        List.of(
            "id",
            "secret",
            "standard_webhooks_secret",
            "public_keys",
            "created_at",
            "created_position",
            "paused",
            "paused_at",
            "paused_reason",
            "key_set_url");
    for (String name : original.fieldNames()) {
      if (!itsOwn.contains(name)) {
        assertThat(clone.getValue(name)).as(name).isEqualTo(original.getValue(name));
      }
    }
    for (String name : List.of("id", "secret", "public_keys")) {
      assertThat(clone.getValue(name)).as(name).isNotNull().isNotEqualTo(original.getValue(name));
    }
    assertThat(clone.getBoolean("paused")).isTrue();
    UUID id = UUID.fromString(clone.getString("id"));
    Row row =
        service
            .query("select headers, oauth2 from endpoints where id = '" + id + "'")
            .iterator()
            .next();
    SecretBox box = SecretBox.parse(Service.SECRET_KEY);
    assertThat(CustomHeaders.open(row.getBuffer("headers"), box, id).values())
        .isEqualTo(Map.of("x-tenant", "42"));
    assertThat(OAuth2Client.open(row.getBuffer("oauth2"), box, id).clientSecret())
        .isEqualTo("sesame");
    assertThat(cloned(clone, new JsonObject()).getValue("headers"))
        .as("a clone of the clone")
        .isEqualTo(original.getValue("headers"));
    assertThat(
            service.internal("GET", "/internal/v1/workspaces/" + workspace + "/audit", "").body())
        .contains("\"clone_of\":\"" + original.getString("id"))
        .doesNotContain("sesame");
  }

  @Test
  void mayBeSentTheStreamInstead() {
    JsonObject each = original(new JsonObject());
    service.enter(workspace, 1);

    JsonObject pages =
        cloned(
            each,
            new JsonObject().put("delivery", "stream").put("batch", 7).put("full_history", true));

    assertThat(pages.getString("delivery")).isEqualTo("stream");
    assertThat(pages.getInteger("batch")).isEqualTo(7);
    assertThat(pages.getBoolean("full_history")).isTrue();
    assertThat(pages.getJsonArray("events")).containsExactly("capture.processed", "capture.erased");
    JsonObject again = cloned(pages, new JsonObject());
    assertThat(again.getString("delivery")).isEqualTo("stream");
    assertThat(again.getInteger("batch")).isEqualTo(7);
    assertThat(again.getBoolean("full_history")).as("it begins now").isFalse();
    assertThat(cloned(pages, new JsonObject().put("delivery", "each")).getString("delivery"))
        .isEqualTo("each");
  }

  @Test
  void refusesWhatDoesNotFit() {
    JsonObject each = original(new JsonObject());

    assertThat(cloning(each, new JsonObject().put("batch", 7)).body())
        .contains("batch: is only for the delivery stream");
    assertThat(cloning(each, new JsonObject().put("url", "https://other.invalid/")).body())
        .contains("url");
    assertThat(
            cloning(new JsonObject().put("id", UUID.randomUUID().toString()), new JsonObject())
                .statusCode())
        .isEqualTo(404);
  }

  @Test
  void aPersonClonesOnThePage() {
    JsonObject each = original(new JsonObject());
    Browser browser = Browser.at(service, workspace, "admin");
    String form = "/portal/" + workspace + "/endpoints/" + each.getString("id") + "/clone";
    assertThat(browser.get(form).body()).contains("value=\"each\" selected", "Clone CRM");

    HttpResponse<String> created =
        browser.submit(form, form, Map.of("delivery", "stream", "batch", "9"));

    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(created.body()).contains("Signing secret of CRM");
    assertThat(endpoints.list())
        .extracting(endpoint -> ((JsonObject) endpoint).getValue("batch"))
        .containsExactly(null, 9);
    JsonObject pages = (JsonObject) endpoints.list().getLast();
    String ofPages = "/portal/" + workspace + "/endpoints/" + pages.getString("id") + "/clone";
    assertThat(browser.get(ofPages).body())
        .as("nothing that has to be cleared for the other delivery")
        .contains("value=\"stream\" selected", "name=\"batch\" value=\"\"", "placeholder=\"9\"");
    assertThat(browser.submit(form, form, Map.of("batch", "9")).body())
        .contains("is only for the delivery stream");
  }
}
