package io.egress.acceptance;

import static io.egress.acceptance.Snippets.block;
import static io.egress.acceptance.Snippets.has;
import static io.egress.acceptance.Snippets.page;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.webhook.endpoint.SigningSecrets;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The receivers, with the verification by Stripe's libraries that docs/receiving.md shows. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class LibraryVerificationTest {
  private static final int ACCEPTED = 204;
  private static final int REFUSED = 400;

  private final Path folder;
  private final String secret = SigningSecrets.generate();

  LibraryVerificationTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void javaAcceptsOnlyGenuineSignatures() throws Exception {
    check(
        ShownReceiver.JAVA,
        folder,
        "static boolean verifies(String secret, String header, byte[] body) throws GeneralSecurityException {\n  try",
        Map.of("JDK_JAVA_OPTIONS", "-cp " + System.getProperty("java.class.path")));
  }

  @Test
  void nodeAcceptsOnlyGenuineSignatures() throws Exception {
    assumeTrue(has("node"), "node is not here");
    Path beside = NodePackages.install("stripe", "23.1.0");
    check(ShownReceiver.NODE, beside, "import Stripe", Map.of());
  }

  @Test
  void pythonAcceptsOnlyGenuineSignatures() throws Exception {
    assumeTrue(has("python3"), "python3 is not here");
    PythonPackages stripe = PythonPackages.install("stripe", "stripe==16.1.0");
    check(ShownReceiver.PYTHON, folder, "from stripe", stripe.path());
  }

  private void check(ShownReceiver shown, Path place, String begin, Map<String, String> environment)
      throws Exception {
    String function = shown.shownVerification();
    assertThat(shown.receiver()).contains(function);
    String program =
        shown.receiver().replace(function, block(page("docs/receiving.md"), begin) + "\n");
    try (CommandLine receiver = shown.start(place, program, environment, secret)) {
      check(receiver, ShownReceiver.post(receiver));
    }
  }

  private void check(CommandLine receiver, RawPost post) throws IOException {
    long now = Instant.now().getEpochSecond();
    for (String text : List.of("plain", "Grüße", "日本語の会議", "👩‍👩‍👧 \u2028 \ufeff \u0001")) {
      SignedDelivery genuine = SignedDelivery.of(text);
      assertThat(post.send(genuine.sign(now, secret), genuine.body())).isEqualTo(ACCEPTED);
      receiver.awaitOutput("verified " + genuine.capture());
    }
    SignedDelivery delivery = SignedDelivery.of("Grüße");
    byte[] body = delivery.body();
    assertThat(post.send(delivery.sign(now, "whsec_new", secret), body)).isEqualTo(ACCEPTED);

    assertThat(post.send(null, body)).as("no header").isEqualTo(REFUSED);
    assertThat(post.send("", body)).as("an empty one").isEqualTo(REFUSED);
    assertThat(post.send("t=now,v1=x", body)).as("not of the form").isEqualTo(REFUSED);
    assertThat(post.send(delivery.sign(now, "whsec_x"), body)).as("forged").isEqualTo(REFUSED);
    assertThat(post.send(delivery.sign(now - 310, secret), body)).as("stale").isEqualTo(REFUSED);
    byte[] altered = new String(body, UTF_8).replace("Grüße", "Grüsse").getBytes(UTF_8);
    assertThat(post.send(delivery.sign(now, secret), altered)).as("altered").isEqualTo(REFUSED);
    byte[] notUtf8 = body.clone();
    notUtf8[body.length / 2] = (byte) 0xff;
    assertThat(post.send(delivery.sign(now, secret), notUtf8)).as("not UTF-8").isEqualTo(REFUSED);
  }
}
