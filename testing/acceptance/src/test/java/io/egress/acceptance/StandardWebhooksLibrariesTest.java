package io.egress.acceptance;

import static io.egress.acceptance.Snippets.block;
import static io.egress.acceptance.Snippets.has;
import static io.egress.acceptance.Snippets.page;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.webhook.endpoint.SigningSecrets;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
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
 * The receivers, with the verification by libraries for Standard Webhooks that docs/receiving.md
 * shows. Svix' libraries are used in the same way, with the same headers.
 */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class StandardWebhooksLibrariesTest {
  private static final int ACCEPTED = 204;
  private static final int REFUSED = 400;

  private final Path folder;
  private final String secret = SigningSecrets.generate();

  StandardWebhooksLibrariesTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void javaAcceptsOnlyGenuineSignatures() throws Exception {
    check(
        ShownReceiver.JAVA,
        folder,
        snippet("static boolean verifies(String secret, Headers"),
        Map.of("JDK_JAVA_OPTIONS", "-cp " + System.getProperty("java.class.path")));
  }

  @Test
  void nodeAcceptsOnlyGenuineSignatures() throws Exception {
    assumeTrue(has("node"), "node is not here");
    Path beside = NodePackages.install("standardwebhooks", "1.1.1");
    check(ShownReceiver.NODE, beside, snippet("import { Webhook }"), Map.of());
  }

  @Test
  void pythonAcceptsOnlyGenuineSignatures() throws Exception {
    assumeTrue(has("python3"), "python3 is not here");
    PythonPackages packages = PythonPackages.install("standardwebhooks", "standardwebhooks==1.1.0");
    check(ShownReceiver.PYTHON, folder, snippet("from standardwebhooks"), packages.path());
  }

  @Test
  void svixForNodeAcceptsOnlyGenuineSignatures() throws Exception {
    assumeTrue(has("node"), "node is not here");
    Path beside = NodePackages.install("svix", "2.5.0");
    String shown = snippet("import { Webhook }").replace("\"standardwebhooks\"", "\"svix\"");
    check(ShownReceiver.NODE, beside, shown, Map.of());
  }

  @Test
  void svixForPythonAcceptsOnlyGenuineSignatures() throws Exception {
    assumeTrue(has("python3"), "python3 is not here");
    PythonPackages packages = PythonPackages.install("svix", "svix==2.9.1");
    String shown =
        snippet("from standardwebhooks").replace("from standardwebhooks", "from svix.webhooks");
    check(ShownReceiver.PYTHON, folder, shown, packages.path());
  }

  private static String snippet(String begin) throws IOException {
    return block(page("docs/receiving.md"), begin);
  }

  private void check(
      ShownReceiver shown, Path place, String verification, Map<String, String> environment)
      throws Exception {
    String program = shown.receiverOfHeaders(verification);
    try (CommandLine receiver =
        shown.start(place, program, environment, SigningSecrets.inStandardForm(secret))) {
      check(receiver, ShownReceiver.post(receiver));
    }
  }

  private void check(CommandLine receiver, RawPost post) throws IOException {
    long now = Instant.now().getEpochSecond();
    for (String text : List.of("plain", "Grüße", "日本語の会議", "👩‍👩‍👧 \u2028 \ufeff \u0001")) {
      SignedDelivery genuine = SignedDelivery.of(text);
      assertThat(post.sendWith(genuine.signByStandard(now, secret), genuine.body()))
          .isEqualTo(ACCEPTED);
      receiver.awaitOutput("verified " + genuine.capture());
    }
    SignedDelivery delivery = SignedDelivery.of("Grüße");
    byte[] body = delivery.body();
    String other = SigningSecrets.generate();
    assertThat(post.sendWith(delivery.signByStandard(now, other, secret), body))
        .as("the old secret during a rotation")
        .isEqualTo(ACCEPTED);
    assertThat(post.sendWith(delivery.signByStandard(now, secret, other), body))
        .as("the new one")
        .isEqualTo(ACCEPTED);

    Map<String, String> good = delivery.signByStandard(now, secret);
    String signature = requireNonNull(good.get("webhook-signature"));
    assertRefused(post, Map.of(), body, "no headers");
    for (String name : good.keySet()) {
      assertRefused(post, with(good, name, ""), body, "without " + name);
    }
    assertRefused(post, delivery.signByStandard(now, other), body, "forged");
    assertRefused(post, delivery.signByStandard(now - 310, secret), body, "stale");
    assertRefused(post, delivery.signByStandard(now + 310, secret), body, "ahead");
    assertRefused(post, with(good, "webhook-id", UUID.randomUUID().toString()), body, "another id");
    assertRefused(post, with(good, "webhook-timestamp", "" + (now - 1)), body, "another second");
    assertRefused(post, with(good, "webhook-signature", "v1,not base64"), body, "malformed");
    assertRefused(
        post,
        with(good, "webhook-signature", signature.replace("v1,", "v2,")),
        body,
        "another version");
    byte[] altered = new String(body, UTF_8).replace("Grüße", "Grüsse").getBytes(UTF_8);
    assertRefused(post, good, altered, "altered");
    byte[] notUtf8 = body.clone();
    notUtf8[body.length / 2] = (byte) 0xff;
    assertRefused(post, good, notUtf8, "not UTF-8");
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
}
