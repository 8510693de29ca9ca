package io.egress.api.admin.endpoints;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.portal.Browser;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.SigningKey;
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
  void eachEndpointHasAKeyPairOfItsOwn() {
    String plain = endpoint("true");
    assertThat(listed(plain)).isEmpty();
    assertThat(service.pull(set(plain), "").statusCode()).isEqualTo(404);

    String one = endpoint("\"ed25519\"");
    String other = endpoint("\"ed25519\"");

    assertThat(keyOf(one)).matches("whpk_[A-Za-z0-9+/]{43}=").isNotEqualTo(keyOf(other));
    assertThat(listed(one).getFirst().getValue("signs_until")).isNull();
    Arrival arrival = test(one);
    assertThat(genuine(arrival, one)).containsExactly(keyOf(one));
    assertThat(genuine(arrival, other)).as("at another receiver").containsExactly("none");
    assertThat(service.internal("GET", "/internal/v1/audit", "").body())
        .contains(keyOf(one), keyOf(other));
  }

  @Test
  void everybodyMayReadThePublicKeysOfAnEndpoint() {
    String endpoint = endpoint("\"ed25519\"");

    HttpResponse<String> answer = service.pull(set(endpoint), "no key");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    assertThat(answer.headers().firstValue("cache-control")).contains("public, max-age=60");
    JsonObject key = new JsonObject(answer.body()).getJsonArray("keys").getJsonObject(0);
    assertThat(key.fieldNames()).containsExactly("kty", "crv", "kid", "use", "alg", "x");
    assertThat(Base64.getUrlDecoder().decode(key.getString("x"))).isEqualTo(raw(keyOf(endpoint)));
    assertThat(service.pull(set(UUID.randomUUID().toString()), "").statusCode()).isEqualTo(404);
    assertThat(service.pull(set("crm"), "").statusCode()).isEqualTo(404);
  }

  @Test
  void theSetOfADeletedEndpointIsGone() {
    String endpoint = endpoint("\"ed25519\"");

    assertThat(service.internal("DELETE", path(endpoint), "").statusCode()).isEqualTo(204);

    assertThat(service.pull(set(endpoint), "").statusCode()).isEqualTo(404);
  }

  /** The key of RFC 8037, and its thumbprint there. */
  @Test
  void theIdOfAKeyIsItsThumbprint() {
    byte[] raw = Base64.getUrlDecoder().decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");

    assertThat(new SigningKey(Buffer.buffer(raw), null).toJwk().getString("kid"))
        .isEqualTo("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
  }

  @Test
  void bothKeysSignDuringTheOverlapOfARotation() {
    String endpoint = endpoint("\"ed25519\"");
    String bystander = endpoint("\"ed25519\"");
    String old = keyOf(endpoint);
    String other = keyOf(bystander);

    String fresh = rotate(endpoint, "1h");

    assertThat(listed(endpoint))
        .extracting(key -> key.getString("public_key"))
        .containsExactly(fresh, old);
    assertThat(listed(endpoint).getLast().getString("signs_until")).isNotNull();
    assertThat(new JsonObject(service.pull(set(endpoint), "").body()).getJsonArray("keys"))
        .hasSize(2);
    assertThat(genuine(test(endpoint), endpoint)).containsExactly(fresh, old);
    assertThat(keyOf(bystander)).isEqualTo(other);

    HttpResponse<String> ended =
        service.internal("DELETE", path(endpoint) + "/previous-secret", "");
    assertThat(ended.statusCode()).as(ended.body()).isEqualTo(204);
    assertThat(genuine(test(endpoint), endpoint)).containsExactly(fresh);
    assertThat(previousKeys()).isZero();
  }

  @Test
  void aKeyThatLeakedIsForgottenAtOnce() {
    String endpoint = endpoint("\"ed25519\"");
    rotate(endpoint, "1h");

    String fresh = rotate(endpoint, "0s");

    assertThat(previousKeys()).isZero();
    assertThat(genuine(test(endpoint), endpoint)).containsExactly(fresh);
  }

  @Test
  void theOldKeyStopsSigningAfterTheOverlap() {
    String endpoint = endpoint("\"ed25519\"");
    String fresh = rotate(endpoint, "1h");

    service.query(
        "update endpoints set previous_secret_until = now(), previous_signing_key_until = now()");

    assertThat(genuine(test(endpoint), endpoint)).containsExactly(fresh);
    assertThat(rotate(endpoint, "1h")).isNotEqualTo(fresh);
  }

  /** It knows nothing of key pairs. */
  @Test
  void aRotationByTheReleaseBeforeBringsNoOldKeyBack() {
    String endpoint = endpoint("\"ed25519\"");
    String fresh = rotate(endpoint, "1h");
    service.query(
        "update endpoints set previous_secret_until = now(), previous_signing_key_until = now()");

    service.query(
        "update endpoints set previous_secret = secret, previous_secret_until = now() + interval '7 days'");

    assertThat(genuine(test(endpoint), endpoint)).containsExactly(fresh);
  }

  @Test
  void theKeyIsThereFromTheChangeOn() {
    String endpoint = endpoint("false");

    HttpResponse<String> changed =
        service.internal("PATCH", path(endpoint), "{\"standard_webhooks\":\"ed25519\"}");

    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    String key = keyOf(endpoint);
    assertThat(genuine(test(endpoint), endpoint)).containsExactly(key);
    assertThat(service.internal("GET", "/internal/v1/audit", "").body())
        .contains("\"public_key\":{\"to\":\"" + key + "\",\"from\":null}");
    service.internal("PATCH", path(endpoint), "{\"standard_webhooks\":true}");
    assertThat(listed(endpoint)).isEmpty();
    service.internal("PATCH", path(endpoint), "{\"standard_webhooks\":\"ed25519\"}");
    assertThat(keyOf(endpoint)).as("a receiver need not learn another one").isEqualTo(key);
  }

  @Test
  void privateKeysAreSealedAndSealedAgain() {
    String endpoint = endpoint("\"ed25519\"");
    rotate(endpoint, "1h");
    String secrets = service.internal("GET", "/internal/v1/secret-keys", "").body();
    assertThat(secrets).contains("\"secrets\":4");

    try (Service both = service.twin(Map.of("EGRESS_SECRET_KEY", "new:" + FRESH + ",old:" + OLD))) {
      String resealed = both.internal("POST", "/internal/v1/secret-keys/reseal", "").body();
      assertThat(resealed).contains("\"id\":\"new\",\"secrets\":4").doesNotContain("\"old\"");
    }
    try (Service fresh = service.twin(Map.of("EGRESS_SECRET_KEY", "new:" + FRESH))) {
      assertThat(genuine(test(fresh, endpoint), endpoint)).hasSize(2).doesNotContain("none");
    }
    HttpResponse<String> unopened = service.internal("POST", path(endpoint) + "/test", "");
    assertThat(unopened.statusCode()).isEqualTo(409);
  }

  @Test
  void theEndpointsPageShowsThePublicKeys() {
    String signed = endpoint("\"ed25519\"");
    String other = endpoint("true");
    rotate(signed, "1h");
    String page = "/portal/" + workspace + "/endpoints/";
    Browser browser = Browser.at(service, workspace, "view");

    String shown = browser.get(page + signed).body().replace("&#43;", "+");

    assertThat(shown).contains("webhook-signature by Ed25519", "until", set(signed));
    assertThat(listed(signed))
        .hasSize(2)
        .allSatisfy(key -> assertThat(shown).contains(key.getString("public_key")));
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

  /** Returns the new public key. */
  private String rotate(String endpoint, String overlap) {
    HttpResponse<String> answer =
        service.internal(
            "POST", path(endpoint) + "/rotate-secret", "{\"overlap\":\"" + overlap + "\"}");
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
    return keys(answer.body()).getFirst().getString("public_key");
  }

  private List<JsonObject> listed(String endpoint) {
    return keys(service.internal("GET", path(endpoint), "").body());
  }

  private String keyOf(String endpoint) {
    return listed(endpoint).getFirst().getString("public_key");
  }

  private static List<JsonObject> keys(String endpoint) {
    return new JsonObject(endpoint)
        .getJsonArray("public_keys").stream().map(JsonObject.class::cast).toList();
  }

  private static String set(String endpoint) {
    return "/.well-known/endpoints/" + endpoint + "/jwks.json";
  }

  private long previousKeys() {
    return service
        .query("select count(previous_signing_key) from endpoints")
        .iterator()
        .next()
        .getLong(0);
  }

  private static byte[] raw(String publicKey) {
    return Base64.getDecoder().decode(publicKey.substring("whpk_".length()));
  }

  /** The endpoint's keys that verify the signatures, in the order of these. */
  private List<String> genuine(Arrival arrival, String endpoint) {
    String prefix =
        arrival.headers().get("webhook-id")
            + "."
            + arrival.headers().get("webhook-timestamp")
            + ".";
    List<String> known = listed(endpoint).stream().map(key -> key.getString("public_key")).toList();
    return Arrays.stream(arrival.headers().get("webhook-signature").split(" "))
        .map(signature -> {
          assertThat(signature).startsWith("v1a,");
          byte[] bytes = Base64.getDecoder().decode(signature.substring(4));
          return known.stream()
              .filter(key -> {
                Ed25519Signer verifier = new Ed25519Signer();
                verifier.init(false, new Ed25519PublicKeyParameters(raw(key)));
                verifier.update(prefix.getBytes(UTF_8), 0, prefix.length());
                verifier.update(arrival.body().getBytes(), 0, arrival.body().length());
                return verifier.verifySignature(bytes);
              })
              .findFirst()
              .orElse("none");
        })
        .toList();
  }
}
