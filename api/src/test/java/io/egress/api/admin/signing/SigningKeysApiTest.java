package io.egress.api.admin.signing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.api.portal.Browser;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.bouncycastle.crypto.params.Ed25519PublicKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The verifier is Bouncy Castle, with the keys that the service publishes. */
@Execution(ExecutionMode.CONCURRENT)
class SigningKeysApiTest {
  private static final String KEYS = "/internal/v1/signing-keys";
  private static final String OLD = SecretBox.newKey();
  private static final String FRESH = SecretBox.newKey();

  private record Arrival(MultiMap headers, Buffer body) {}

  private final UUID workspace = UUID.randomUUID();
  private final BlockingQueue<Arrival> arrivals = new ArrayBlockingQueue<>(10);
  private Service service;
  private HttpServer receiver;

  @BeforeEach
  void start() {
    service =
        Service.start(
            Map.of(
                "EGRESS_SECRET_KEY", "old:" + OLD,
                "EGRESS_ALLOW_HTTP_ENDPOINTS", "true",
                "EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.1/32"));
    receiver =
        Service.await(
            service
                .vertx
                .createHttpServer()
                .requestHandler(request ->
                    request
                        .body()
                        .onSuccess(body -> {
                          arrivals.add(new Arrival(request.headers(), body));
                          request.response().end();
                        }))
                .listen(0, "127.0.0.1"));
  }

  @AfterEach
  void close() {
    service.close();
  }

  @Test
  void theFirstKeyIsMadeForTheFirstEndpointThatNeedsIt() {
    assertThat(published()).isEmpty();
    endpoint("true");
    assertThat(listed()).isEmpty();

    String endpoint = endpoint("\"ed25519\"");
    endpoint("\"ed25519\"");

    assertThat(listed()).hasSize(1);
    JsonObject key = listed().getFirst();
    assertThat(key.getString("public_key")).matches("whpk_[A-Za-z0-9+/]{43}=");
    assertThat(key.getValue("signs_until")).isNull();
    await().until(() -> published().size() == 1);
    assertThat(published().getFirst())
        .isEqualTo(
            new JsonObject()
                .put("kty", "OKP")
                .put("crv", "Ed25519")
                .put("kid", key.getString("id"))
                .put("use", "sig")
                .put("alg", "EdDSA")
                .put("x", Base64.getUrlEncoder().withoutPadding().encodeToString(raw(key))));
    assertThat(service.internal("GET", "/internal/v1/audit", "").body())
        .containsOnlyOnce("signing_key.created")
        .contains(key.getString("public_key"));
    assertThat(genuine(test(endpoint))).containsExactly(key.getString("id"));
  }

  @Test
  void everybodyMayReadThePublicKeys() {
    endpoint("\"ed25519\"");

    HttpResponse<String> answer = service.pull("/.well-known/jwks.json", "no key");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    assertThat(answer.headers().firstValue("cache-control")).contains("public, max-age=60");
    assertThat(answer.body()).doesNotContain("\"d\"");
  }

  @Test
  void bothKeysSignDuringTheOverlapOfARotation() {
    String endpoint = endpoint("\"ed25519\"");
    String old = listed().getFirst().getString("id");

    String fresh = rotate("{\"overlap\":\"1h\"}").getString("id");

    assertThat(listed()).extracting(key -> key.getString("id")).containsExactly(fresh, old);
    assertThat(listed().getLast().getString("signs_until")).isNotNull();
    await().until(() -> published().size() == 2);
    assertThat(genuine(test(endpoint))).containsExactly(fresh, old);

    HttpResponse<String> refused = service.internal("POST", KEYS + "/rotate", "");
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).contains("overlap of 0s");

    assertThat(service.internal("DELETE", KEYS + "/previous", "").statusCode()).isEqualTo(204);
    assertThat(genuine(test(endpoint))).containsExactly(fresh);
    assertThat(stored()).isEqualTo(1);
  }

  @Test
  void aKeyThatLeakedIsForgottenAtOnce() {
    String endpoint = endpoint("\"ed25519\"");
    rotate("");

    String fresh = rotate("{\"overlap\":\"0s\"}").getString("id");

    assertThat(listed()).extracting(key -> key.getString("id")).containsExactly(fresh);
    assertThat(stored()).isEqualTo(1);
    assertThat(genuine(test(endpoint))).containsExactly(fresh);
  }

  @Test
  void theOldKeyStopsSigningAfterTheOverlap() {
    String endpoint = endpoint("\"ed25519\"");
    String fresh = rotate("{\"overlap\":\"1h\"}").getString("id");

    service.query("update signing_keys set signs_until = now() where signs_until is not null");

    assertThat(genuine(test(endpoint))).containsExactly(fresh);
    String freshest = rotate("{\"overlap\":\"1h\"}").getString("id");
    assertThat(listed()).extracting(key -> key.getString("id")).containsExactly(freshest, fresh);
    assertThat(stored()).as("without the one that does not sign any more").isEqualTo(2);
  }

  @Test
  void privateKeysAreSealedAndSealedAgain() {
    String endpoint = endpoint("\"ed25519\"");
    String secrets = service.internal("GET", "/internal/v1/secret-keys", "").body();
    assertThat(secrets).contains("\"secrets\":2");

    try (Service both = service.twin(Map.of("EGRESS_SECRET_KEY", "new:" + FRESH + ",old:" + OLD))) {
      String resealed = both.internal("POST", "/internal/v1/secret-keys/reseal", "").body();
      assertThat(resealed).contains("\"id\":\"new\",\"secrets\":2").doesNotContain("\"old\"");
    }
    try (Service fresh = service.twin(Map.of("EGRESS_SECRET_KEY", "new:" + FRESH))) {
      assertThat(genuine(test(fresh, endpoint))).hasSize(1);
    }
    HttpResponse<String> unopened = service.internal("POST", path(endpoint) + "/test", "");
    assertThat(unopened.statusCode()).isEqualTo(409);
  }

  @Test
  void theEndpointsPageShowsThePublicKeys() {
    String signed = endpoint("\"ed25519\"");
    String other = endpoint("true");
    rotate("{\"overlap\":\"1h\"}");
    String page = "/portal/" + workspace + "/endpoints/";
    Browser browser = Browser.at(service, workspace, "view");

    String shown = browser.get(page + signed).body().replace("&#43;", "+");

    assertThat(shown).contains("webhook-signature by Ed25519", "until");
    assertThat(listed()).allSatisfy(key -> assertThat(shown).contains(key.getString("public_key")));
    assertThat(browser.get(page + other).body()).doesNotContain("whpk_");
  }

  private String endpoint(String standardWebhooks) {
    String body =
        "{\"url\":\"http://127.0.0.1:%d/\",\"standard_webhooks\":%s}"
            .formatted(receiver.actualPort(), standardWebhooks);
    HttpResponse<String> answer =
        service.internal("POST", "/internal/v1/workspaces/" + workspace + "/endpoints", body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return new JsonObject(answer.body()).getString("id");
  }

  private String path(String endpoint) {
    return "/internal/v1/workspaces/" + workspace + "/endpoints/" + endpoint;
  }

  private Arrival test(String endpoint) {
    return test(service, endpoint);
  }

  private Arrival test(Service by, String endpoint) {
    HttpResponse<String> answer = by.internal("POST", path(endpoint) + "/test", "");
    assertThat(answer.body()).contains("\"outcome\":\"delivered\"");
    return arrivals.remove();
  }

  private JsonObject rotate(String body) {
    HttpResponse<String> answer = service.internal("POST", KEYS + "/rotate", body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return new JsonObject(answer.body());
  }

  private List<JsonObject> listed() {
    return objects(service.internal("GET", KEYS, "").body(), "signing_keys");
  }

  private List<JsonObject> published() {
    return objects(service.pull("/.well-known/jwks.json", "").body(), "keys");
  }

  private long stored() {
    return service.query("select count(*) from signing_keys").iterator().next().getLong(0);
  }

  private static List<JsonObject> objects(String body, String field) {
    return new JsonObject(body).getJsonArray(field).stream().map(JsonObject.class::cast).toList();
  }

  private static byte[] raw(JsonObject key) {
    return Base64.getDecoder().decode(key.getString("public_key").substring("whpk_".length()));
  }

  /** The ids of the keys that verify the signatures, in the order of these; none is left over. */
  private List<String> genuine(Arrival arrival) {
    String prefix =
        arrival.headers().get("webhook-id")
            + "."
            + arrival.headers().get("webhook-timestamp")
            + ".";
    return Arrays.stream(arrival.headers().get("webhook-signature").split(" "))
        .map(signature -> {
          assertThat(signature).startsWith("v1a,");
          byte[] bytes = Base64.getDecoder().decode(signature.substring(4));
          return listed().stream()
              .filter(key -> {
                Ed25519Signer verifier = new Ed25519Signer();
                verifier.init(false, new Ed25519PublicKeyParameters(raw(key)));
                verifier.update(prefix.getBytes(UTF_8), 0, prefix.length());
                verifier.update(arrival.body().getBytes(), 0, arrival.body().length());
                return verifier.verifySignature(bytes);
              })
              .map(key -> key.getString("id"))
              .findFirst()
              .orElse("none");
        })
        .toList();
  }
}
