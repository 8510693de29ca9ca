package io.egress.api.admin.secrets;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.EndpointTargets;
import io.egress.webhook.endpoint.OAuth2Client;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class SecretKeysApiTest {
  private static final String OLD = SecretBox.newKey();
  private static final String FRESH = SecretBox.newKey();

  private final String endpoints = "/internal/v1/workspaces/" + UUID.randomUUID() + "/endpoints";

  @Test
  void theOldKeyIsNotNeededAfterResealing() {
    try (Service service = Service.start(Map.of("EGRESS_SECRET_KEY", "old:" + OLD))) {
      List<String> ids = new ArrayList<>();
      List<String> secrets = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        JsonObject created = call(service, "POST", endpoints, "{\"url\":\"https://a.example/\"}");
        ids.add(created.getString("id"));
        secrets.add(created.getString("secret"));
      }
      String rotated =
          call(service, "POST", endpoints + "/" + ids.get(1) + "/rotate-secret", "")
              .getString("secret");
      service.internal("DELETE", endpoints + "/" + ids.get(2), "");
      assertThat(keys(service)).containsExactly("old 5 true true");

      try (Service both =
          service.twin(Map.of("EGRESS_SECRET_KEY", "new:" + FRESH + ",old:" + OLD))) {
        assertThat(keys(both)).containsExactly("old 5 false true");
        assertThat(shown(reseal(both))).containsExactly("new 5 true true");
        assertThat(shown(reseal(both))).as("again").containsExactly("new 5 true true");
      }
      try (Service fresh = service.twin(Map.of("EGRESS_SECRET_KEY", "new:" + FRESH))) {
        assertThat(keys(fresh)).containsExactly("new 5 true true");
        for (int i : new int[] {0, 2, 3}) {
          assertThat(opened(fresh, ids.get(i))).containsExactly(secrets.get(i));
        }
        assertThat(opened(fresh, ids.get(1))).containsExactly(rotated, secrets.get(1));
      }
    }
  }

  @Test
  void everythingOfAnEndpointIsSealedAgain() {
    String body =
        """
        {"url":"https://a.example/","headers":{"x-a":"b"},
         "oauth2":{"token_url":"https://login.example/","client_id":"a","client_secret":"b"}}
        """;
    try (Service service = Service.start(Map.of("EGRESS_SECRET_KEY", "old:" + OLD))) {
      UUID id = UUID.fromString(call(service, "POST", endpoints, body).getString("id"));
      assertThat(keys(service)).containsExactly("old 3 true true");
      try (Service both =
          service.twin(Map.of("EGRESS_SECRET_KEY", "new:" + FRESH + ",old:" + OLD))) {
        assertThat(shown(reseal(both))).containsExactly("new 3 true true");
      }
      EndpointTarget target =
          Service.await(EndpointTargets.byIds(service.database, List.of(id)))
              .values()
              .iterator()
              .next();
      SecretBox fresh = SecretBox.parse("new:" + FRESH);
      assertThat(OAuth2Client.open(requireNonNull(target.setup().sealedOAuth2()), fresh, id))
          .isEqualTo(new OAuth2Client("https://login.example/", "a", "b", null, null));
    }
  }

  @Test
  void changesNothingWithoutTheOldKey() {
    try (Service service = Service.start(Map.of("EGRESS_SECRET_KEY", "old:" + OLD))) {
      call(service, "POST", endpoints, "{\"url\":\"https://a.example/\"}");
      try (Service fresh = service.twin(Map.of("EGRESS_SECRET_KEY", "new:" + FRESH))) {
        assertThat(keys(fresh)).containsExactly("old 1 false false");
        HttpResponse<String> refused =
            fresh.internal("POST", "/internal/v1/secret-keys/reseal", "");
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.body()).contains("the key \\\"old\\\"").doesNotContain(OLD);
      }
      assertThat(keys(service)).containsExactly("old 1 true true");
    }
  }

  private static List<String> opened(Service service, String endpoint) {
    UUID id = UUID.fromString(endpoint);
    EndpointTarget target =
        Service.await(EndpointTargets.byIds(service.database, List.of(id)))
            .values()
            .iterator()
            .next();
    SecretBox box = SecretBox.parse("new:" + FRESH);
    return target.setup().sealedSecrets().stream()
        .map(secret -> box.open(secret.getBytes(), id))
        .toList();
  }

  private static JsonObject reseal(Service service) {
    return call(service, "POST", "/internal/v1/secret-keys/reseal", "");
  }

  private static List<String> keys(Service service) {
    return shown(call(service, "GET", "/internal/v1/secret-keys", ""));
  }

  private static List<String> shown(JsonObject keys) {
    return keys.getJsonArray("secret_keys").stream()
        .map(JsonObject.class::cast)
        .map(key ->
            "%s %d %s %s"
                .formatted(
                    key.getString("id"),
                    key.getLong("secrets"),
                    key.getBoolean("current"),
                    key.getBoolean("known")))
        .toList();
  }

  private static JsonObject call(Service service, String method, String path, String body) {
    HttpResponse<String> answer = service.internal(method, path, body);
    assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
    return new JsonObject(answer.body());
  }
}
