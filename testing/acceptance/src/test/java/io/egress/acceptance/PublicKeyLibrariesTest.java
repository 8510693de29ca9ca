package io.egress.acceptance;

import static io.egress.acceptance.Snippets.block;
import static io.egress.acceptance.Snippets.has;
import static io.egress.acceptance.Snippets.page;
import static io.egress.acceptance.Snippets.works;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.webhook.endpoint.StandardWebhooks;
import io.egress.webhook.send.WebhookSignature;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Webhooks signed by Ed25519 are verified by NaCl, JOSE and OpenSSL, as docs/receiving.md shows.
 */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class PublicKeyLibrariesTest {
  private static final int ACCEPTED = 204;
  private static final int REFUSED = 400;

  private final Path folder;
  private final KeyPair pair = pair();
  private final KeyPair other = pair();

  PublicKeyLibrariesTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void naclForNodeAcceptsOnlyGenuineSignatures() throws Exception {
    assumeTrue(has("node"), "node is not here");
    Path beside = NodePackages.install("tweetnacl", "1.0.3");
    check(ShownReceiver.NODE, beside, snippet("import nacl"), Map.of());
  }

  @Test
  void naclForPythonAcceptsOnlyGenuineSignatures() throws Exception {
    assumeTrue(has("python3"), "python3 is not here");
    PythonPackages packages = PythonPackages.install("pynacl", "pynacl==1.6.2");
    check(ShownReceiver.PYTHON, folder, snippet("from base64"), packages.path());
  }

  @Test
  void joseImportsThePublishedKeys() throws Exception {
    assumeTrue(has("node"), "node is not here");
    Path beside = NodePackages.install("jose", "6.2.18");
    SignedDelivery delivery = SignedDelivery.of("Grüße");
    String program =
        """
        import { createLocalJWKSet } from "jose";
        const { set, signatures, content } = JSON.parse(process.argv[2]);
        const keys = createLocalJWKSet(set);
        const verified = [];
        for (const { kid, alg } of set.keys) {
          const key = await keys({ kid, alg });
          for (const each of signatures.split(" ")) {
            verified.push(await crypto.subtle.verify("Ed25519", key, Buffer.from(each.slice(4), "base64"), Buffer.from(content)));
          }
        }
        console.log(verified.join(" "));
        """;
    try (BothRoles roles = BothRoles.apiAlone(BothRoles.environment())) {
      JsonObject endpoint =
          new JsonObject()
              .put("url", "https://example.com/hook")
              .put("standard_webhooks", "ed25519");
      String id =
          roles
              .call("POST", "/workspaces/" + UUID.randomUUID() + "/endpoints", endpoint)
              .getString("id");
      JsonObject published =
          new JsonObject(roles.pull("/.well-known/endpoints/" + id + "/jwks.json", "").body());
      JsonObject known = published.getJsonArray("keys").getJsonObject(0);
      JsonObject ours =
          known
              .copy()
              .put("kid", "ours")
              .put("x", Base64.getUrlEncoder().withoutPadding().encodeToString(raw(pair)));
      Map<String, String> signed = signed(delivery, now(), other, pair);
      JsonObject input =
          new JsonObject()
              .put("set", new JsonObject().put("keys", new JsonArray().add(known).add(ours)))
              .put("signatures", signed.get("webhook-signature"))
              .put("content", content(delivery, signed));
      Path file = Files.writeString(beside.resolve("verify.mjs"), program);

      assertThat(Snippets.run(folder, Map.of(), "node", file.toString(), input.encode()).strip())
          .isEqualTo("false false false true");
    }
  }

  @Test
  void opensslVerifiesByHand() throws Exception {
    assumeTrue(has("bash") && works("openssl", "version"), "it needs bash and openssl");
    SignedDelivery delivery = SignedDelivery.of("Grüße");
    Files.write(folder.resolve("body.json"), delivery.body());

    assertThat(byHand(signed(delivery, now(), pair))).contains("Verified Successfully");
    assertThat(byHand(signed(delivery, now(), other, pair))).contains("Verified Successfully");
    assertThat(byHand(signed(delivery, now(), other))).doesNotContain("Verified Successfully");
    Map<String, String> earlier = new HashMap<>(signed(delivery, now(), pair));
    earlier.put("webhook-timestamp", "" + (now() - 100));
    assertThat(byHand(earlier)).doesNotContain("Verified Successfully");
  }

  private String byHand(Map<String, String> headers) throws Exception {
    String commands = block(page("docs/receiving.md"), "(printf '\\060");
    return Snippets.run(
        folder,
        Map.of(
            "WEBHOOK_KEY", text(pair),
            "id", requireNonNull(headers.get("webhook-id")),
            "timestamp", requireNonNull(headers.get("webhook-timestamp")),
            "signature", requireNonNull(headers.get("webhook-signature"))),
        "bash",
        "-c",
        commands + "\ntrue");
  }

  private static long now() {
    return Instant.now().getEpochSecond();
  }

  private static String snippet(String begin) throws IOException {
    return block(page("docs/receiving.md"), begin);
  }

  private void check(
      ShownReceiver shown, Path place, String verification, Map<String, String> environment)
      throws Exception {
    String program = shown.receiverOfHeaders(verification);
    try (CommandLine receiver = shown.start(place, program, environment, text(pair))) {
      check(receiver, ShownReceiver.post(receiver));
    }
  }

  private void check(CommandLine receiver, RawPost post) throws IOException {
    for (String text : List.of("plain", "Grüße", "日本語の会議", "👩‍👩‍👧 \u2028 \ufeff \u0001")) {
      SignedDelivery genuine = SignedDelivery.of(text);
      assertThat(post.sendWith(signed(genuine, now(), pair), genuine.body())).isEqualTo(ACCEPTED);
      receiver.awaitOutput("verified " + genuine.capture());
    }
    SignedDelivery delivery = SignedDelivery.of("Grüße");
    byte[] body = delivery.body();
    assertThat(post.sendWith(signed(delivery, now(), other, pair), body))
        .as("the old key during a rotation")
        .isEqualTo(ACCEPTED);
    assertThat(post.sendWith(signed(delivery, now(), pair, other), body))
        .as("the new one")
        .isEqualTo(ACCEPTED);

    Map<String, String> good = signed(delivery, now(), pair);
    assertRefused(post, Map.of(), body, "no headers");
    for (String name : good.keySet()) {
      assertRefused(post, with(good, name, ""), body, "without " + name);
    }
    assertRefused(post, signed(delivery, now(), other), body, "forged");
    assertRefused(post, signed(delivery, now() - 310, pair), body, "stale");
    assertRefused(post, signed(delivery, now() + 310, pair), body, "ahead");
    assertRefused(post, with(good, "webhook-id", UUID.randomUUID().toString()), body, "another id");
    assertRefused(
        post, with(good, "webhook-timestamp", "" + (now() - 100)), body, "another second");
    assertRefused(post, with(good, "webhook-signature", "v1a,not base64"), body, "malformed");
    assertRefused(
        post,
        with(
            good,
            "webhook-signature",
            requireNonNull(good.get("webhook-signature")).replace("v1a,", "v1,")),
        body,
        "another version");
    byte[] altered = new String(body, UTF_8).replace("Grüße", "Grüsse").getBytes(UTF_8);
    assertRefused(post, good, altered, "altered");
  }

  private static void assertRefused(
      RawPost post, Map<String, String> headers, byte[] body, String reason) throws IOException {
    assertThat(post.sendWith(headers, body)).as(reason).isEqualTo(REFUSED);
  }

  private static Map<String, String> with(Map<String, String> headers, String name, String value) {
    Map<String, String> changed = new HashMap<>(headers);
    changed.put(name, value);
    return changed;
  }

  private static Map<String, String> signed(
      SignedDelivery delivery, long unixSeconds, KeyPair... pairs) {
    List<PrivateKey> keys = Arrays.stream(pairs).map(KeyPair::getPrivate).toList();
    return Map.of(
        "webhook-id",
        delivery.envelope().deliveryId().toString(),
        "webhook-timestamp",
        Long.toString(unixSeconds),
        "webhook-signature",
        new WebhookSignature(List.of("whsec_any"), StandardWebhooks.ED25519, keys)
            .signByStandard(unixSeconds, delivery.envelope()));
  }

  private static String content(SignedDelivery delivery, Map<String, String> headers) {
    return headers.get("webhook-id")
        + "."
        + headers.get("webhook-timestamp")
        + "."
        + new String(delivery.body(), UTF_8);
  }

  private static String text(KeyPair pair) {
    return "whpk_" + Base64.getEncoder().encodeToString(raw(pair));
  }

  private static byte[] raw(KeyPair pair) {
    byte[] encoded = pair.getPublic().getEncoded();
    return Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
  }

  private static KeyPair pair() {
    try {
      return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
