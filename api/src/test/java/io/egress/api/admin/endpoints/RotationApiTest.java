package io.egress.api.admin.endpoints;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.EndpointTargets;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RotationApiTest {
  private static final Service service = Service.shared();

  private EndpointsClient endpoints;
  private JsonObject endpoint;

  @BeforeEach
  void freshEndpoint() {
    endpoints = new EndpointsClient(service, UUID.randomUUID());
    endpoint = endpoints.create("https://example.com/hook");
  }

  @Test
  void bothSecretsSignForADayByDefaultNewestFirst() {
    assertThat(endpoint.getValue("previous_secret_until")).isNull();

    JsonObject rotated = rotate("");

    String fresh = rotated.getString("secret");
    assertThat(fresh).startsWith("whsec_").isNotEqualTo(endpoint.getString("secret"));
    assertThat(signing()).containsExactly(fresh, endpoint.getString("secret"));
    assertThat(Instant.parse(rotated.getString("previous_secret_until")))
        .isBetween(
            Instant.now().plus(Duration.ofHours(23)), Instant.now().plus(Duration.ofHours(25)));
    JsonObject shown = endpoints.show(endpoint);
    assertThat(shown.containsKey("secret")).isFalse();
    assertThat(shown.getString("previous_secret_until"))
        .isEqualTo(rotated.getString("previous_secret_until"));
  }

  @Test
  void theOldSecretStopsSigningAtOnceWithoutAnOverlap() {
    JsonObject rotated = rotate("{\"overlap\":\"0s\"}");

    assertThat(rotated.getValue("previous_secret_until")).isNull();
    assertThat(signing()).containsExactly(rotated.getString("secret"));
  }

  @Test
  void theOldSecretStopsSigningAfterTheOverlap() {
    JsonObject rotated = rotate("{\"overlap\":\"1h\"}");
    service.query(
        "update endpoints set previous_secret_until = now() where id = '%s'"
            .formatted(endpoint.getString("id")));

    assertThat(signing()).containsExactly(rotated.getString("secret"));
    assertThat(endpoints.show(endpoint).getValue("previous_secret_until")).isNull();
    assertThat(rotate("").getString("secret")).isNotEqualTo(rotated.getString("secret"));
  }

  @Test
  void aRotationIsRefusedDuringAnOverlap() {
    JsonObject rotated = rotate("");
    assertThat(post("{\"overlap\":\"1h\"}").statusCode()).isEqualTo(409);
    assertThat(signing()).hasSize(2);

    assertThat(endOverlap().statusCode()).isEqualTo(204);
    assertThat(endOverlap().statusCode()).as("again").isEqualTo(204);

    assertThat(signing()).containsExactly(rotated.getString("secret"));
    assertThat(post("").statusCode()).isEqualTo(201);
  }

  /** The newest secret may leak during the overlap. */
  @Test
  void aRotationWithoutOverlapEndsAllOlderSecrets() {
    rotate("");

    JsonObject rotated = rotate("{\"overlap\":\"0s\"}");

    assertThat(signing()).containsExactly(rotated.getString("secret"));
    assertThat(rotated.getValue("previous_secret_until")).isNull();
  }

  /** Without this, a repetition would replace the secret whose answer was lost. */
  @Test
  void aRepeatedRotationWithAnIdempotencyKeyAnswersTheSame() {
    HttpResponse<String> first = post("", "rotation-1");
    HttpResponse<String> again = post("", "rotation-1");
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(signing()).hasSize(2);

    JsonObject other = endpoints.create("https://example.com/other");
    String path = endpoints.at(other) + "/rotate-secret";
    HttpResponse<String> ofOther = post(path, "", "rotation-1");
    assertThat(ofOther.statusCode()).isEqualTo(201);
    assertThat(new JsonObject(ofOther.body()).getString("id")).isEqualTo(other.getString("id"));
  }

  @ParameterizedTest
  @CsvSource({
    "{\"overlap\":\"1\"},overlap: must be a whole number with a unit",
    "{\"overlap\":\"31d\"},overlap: must be at most 720h",
    "{\"overlap\":7},overlap: must be a string",
    "[],must be a JSON object"
  })
  void refusesInvalidOverlaps(String body, String message) {
    HttpResponse<String> answer = post(body);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(EndpointsClient.message(answer)).contains(message);
    assertThat(signing()).containsExactly(endpoint.getString("secret"));
  }

  @Test
  void findsNoEndpointOfAnotherWorkspace() {
    EndpointsClient others = new EndpointsClient(service, UUID.randomUUID());
    String at = others.at(endpoint);

    assertThat(service.internal("POST", at + "/rotate-secret", "").statusCode()).isEqualTo(404);
    assertThat(service.internal("DELETE", at + "/previous-secret", "").statusCode()).isEqualTo(404);
    assertThat(signing()).containsExactly(endpoint.getString("secret"));
  }

  private JsonObject rotate(String body) {
    HttpResponse<String> answer = post(body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return new JsonObject(answer.body());
  }

  private HttpResponse<String> post(String body) {
    return service.internal("POST", endpoints.at(endpoint) + "/rotate-secret", body);
  }

  private HttpResponse<String> post(String body, String key) {
    return post(endpoints.at(endpoint) + "/rotate-secret", body, key);
  }

  private static HttpResponse<String> post(String path, String body, String key) {
    return Service.send(
        HttpRequest.newBuilder(URI.create(service.internalUrl(path)))
            .header("authorization", "Bearer " + Service.TOKEN)
            .header("idempotency-key", key)
            .POST(BodyPublishers.ofString(body)));
  }

  private HttpResponse<String> endOverlap() {
    return service.internal("DELETE", endpoints.at(endpoint) + "/previous-secret", "");
  }

  /** The secrets that the dispatcher would sign with, in its order. */
  private List<String> signing() {
    UUID id = UUID.fromString(endpoint.getString("id"));
    EndpointTarget target =
        requireNonNull(Service.await(EndpointTargets.byIds(service.database, List.of(id))).get(id));
    SecretBox box = SecretBox.parse(Service.SECRET_KEY);
    return target.setup().sealedSecrets().stream()
        .map(secret -> box.open(secret.getBytes(), id))
        .toList();
  }
}
