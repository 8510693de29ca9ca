package io.egress.acceptance;

import static io.egress.acceptance.Snippets.block;
import static io.egress.acceptance.Snippets.has;
import static io.egress.acceptance.Snippets.page;
import static io.egress.acceptance.Snippets.works;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.webhook.endpoint.SigningSecrets;
import io.egress.webhook.send.Envelope;
import io.egress.webhook.send.WebhookSignature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the receivers of docs/receivers and posts genuine and forged webhooks to them. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class ReceivingTest {
  private static final int ACCEPTED = 204;
  private static final int REFUSED = 400;
  private static final int TOLERANCE_SECONDS = 300;
  private static final int MAX_BODY_BYTES = 16 * 1024 * 1024;

  private static final List<String> TEXTS =
      List.of(
          "plain ASCII",
          "",
          "Grüße, naïve façade",
          "日本語の会議",
          "مرحبا بالعالم",
          "e\u0301 combining, \u200d joined 👩‍👩‍👧, flags 🇨🇭",
          "𝄞 𐍈 beyond the basic plane",
          "\u2028 line and paragraph \u2029 separators, \ufeff mark, \u0001 control",
          "\ufffd \uffff noncharacters \ud83f\udfff",
          "\"data\":{\"id\":\"not this one\"}");

  private final Path folder;
  private final String secret = SigningSecrets.generate();
  private final SignedDelivery delivery = SignedDelivery.of("Grüße");

  ReceivingTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @ParameterizedTest
  @EnumSource
  void acceptsGenuineWebhooks(ShownReceiver shown) throws Exception {
    try (CommandLine receiver = start(shown)) {
      RawPost post = post(receiver);

      for (String text : TEXTS) {
        assertAccepted(receiver, post, SignedDelivery.of(text));
      }
      long seed = System.nanoTime();
      Random random = new Random(seed);
      for (int i = 0; i < 30; i++) {
        SignedDelivery any = SignedDelivery.random(random);
        assertThat(post.send(sign(any), any.body())).as("seed %d", seed).isEqualTo(ACCEPTED);
      }
      assertAccepted(receiver, post, SignedDelivery.of("🎙".repeat(1_000_000)));
      SignedDelivery compressed = SignedDelivery.of("Grüße");
      assertThat(post.sendCompressed(secret, compressed.body())).isEqualTo(ACCEPTED);
      receiver.awaitOutput("(?m)^verified " + compressed.capture() + "$");
    }
  }

  @ParameterizedTest
  @EnumSource
  void acceptsAnySignatureOfARotation(ShownReceiver shown) throws Exception {
    try (CommandLine receiver = start(shown)) {
      RawPost post = post(receiver);
      long now = now();

      assertThat(post.send(delivery.sign(now, secret, "whsec_old"), delivery.body()))
          .isEqualTo(ACCEPTED);
      assertThat(post.send(delivery.sign(now, "whsec_new", secret), delivery.body()))
          .isEqualTo(ACCEPTED);
      assertThat(
              post.send(
                  sign(delivery).replace(",v1=", ",v0=5257a869,v1=not hex,v1="), delivery.body()))
          .as("unknown and malformed parts before the right one")
          .isEqualTo(ACCEPTED);
      assertThat(post.send(delivery.sign(now, "whsec_new", "whsec_old"), delivery.body()))
          .isEqualTo(REFUSED);
    }
  }

  @ParameterizedTest
  @EnumSource
  void refusesStaleTimestamps(ShownReceiver shown) throws Exception {
    try (CommandLine receiver = start(shown)) {
      RawPost post = post(receiver);

      assertThat(postAged(post, -TOLERANCE_SECONDS)).isEqualTo(ACCEPTED);
      assertThat(postAged(post, TOLERANCE_SECONDS)).isEqualTo(ACCEPTED);
      assertThat(postAged(post, -TOLERANCE_SECONDS - 1)).isEqualTo(REFUSED);
      assertThat(postAged(post, TOLERANCE_SECONDS + 1)).isEqualTo(REFUSED);
    }
  }

  @ParameterizedTest
  @EnumSource
  void refusesForgedSignatures(ShownReceiver shown) throws Exception {
    try (CommandLine receiver = start(shown)) {
      RawPost post = post(receiver);

      assertThat(post.send(null, delivery.body())).as("no header").isEqualTo(REFUSED);
      for (Map.Entry<String, String> forged : forgedHeaders().entrySet()) {
        assertThat(post.send(forged.getValue(), delivery.body()))
            .as(forged.getKey())
            .isEqualTo(REFUSED);
      }
      for (Map.Entry<String, byte[]> altered : alteredBodies().entrySet()) {
        assertThat(post.send(sign(delivery), altered.getValue()))
            .as(altered.getKey())
            .isEqualTo(REFUSED);
      }
      assertThat(receiver.output()).as("works on nothing").doesNotContain(delivery.capture());
      assertAccepted(receiver, post, delivery);
    }
  }

  @ParameterizedTest
  @EnumSource
  void survivesBodiesThatAreTooLargeOrTruncated(ShownReceiver shown) throws Exception {
    try (CommandLine receiver = start(shown)) {
      RawPost post = post(receiver);
      SignedDelivery large = SignedDelivery.of("x".repeat(MAX_BODY_BYTES));

      assertThat(post.send(sign(large), large.body())).isIn(REFUSED, RawPost.CUT_OFF);
      post.sendHalf(sign(delivery), delivery.body());

      assertAccepted(receiver, post, SignedDelivery.of("still there"));
      assertThat(receiver.output()).doesNotContain(large.capture(), delivery.capture());
    }
  }

  @ParameterizedTest
  @EnumSource
  void readmeShowsTheVerificationThatRunsHere(ShownReceiver shown) throws IOException {
    assertThat(shown.receiver()).contains(shown.shownVerification());
  }

  @Test
  void showsHowToTryIt() throws Exception {
    assumeTrue(
        has("bash") && has("curl") && works("openssl", "version"),
        "it needs bash, curl and openssl");
    try (CommandLine receiver = start(ShownReceiver.JAVA)) {
      String shown = block(page("docs/receiving.md"), "body='");
      String commands = shown.replace("127.0.0.1:9000", "127.0.0.1:" + post(receiver).port());

      assertThat(run(commands)).contains(" 204 ");
      receiver.awaitOutput("verified 0b8f5a52-3f0f-4c53-9d57-1d1d6a0c7a01");
      assertThat(run(commands.replace("-binary \"$body\"", "-binary \"$body \"")))
          .contains(" 400 ");
    }
  }

  @Test
  void showsHowToCheckAWebhookByHand() throws Exception {
    assumeTrue(has("bash") && works("openssl", "version"), "it needs bash and openssl");
    Path body = Files.write(folder.resolve("body.json"), delivery.body());
    long now = now();

    assertThat(checked(delivery.sign(now, "whsec_old", secret), body)).isEqualTo("verified\n");
    assertThat(checked(delivery.sign(now, "whsec_old"), body)).startsWith("refused: another");
    assertThat(checked("v1=" + "0".repeat(64), body)).startsWith("refused: no time");
    assertThat(checked(delivery.sign(now - 3_600, secret), body))
        .startsWith("genuine, but signed 36");
    Files.write(body, new byte[] {'\n'}, StandardOpenOption.APPEND);
    assertThat(checked(delivery.sign(now, secret), body)).startsWith("refused: another");
  }

  private String checked(String signature, Path body) throws Exception {
    String script =
        Path.of("..", "..", "docs", "receivers", "verify.sh").toAbsolutePath().toString();
    return run("bash '" + script + "' '" + signature + "' '" + body + "' || true");
  }

  @Test
  void showsHowToMakeTheStandardFormOfASecret() throws Exception {
    assumeTrue(works("bash", "-c", "base64 --version"), "it needs bash and base64");
    String line = block(page("docs/receiving.md"), "STANDARD_SECRET=");

    assertThat(run(line + "; printf %s \"$STANDARD_SECRET\""))
        .isEqualTo(SigningSecrets.inStandardForm(secret));
  }

  @Test
  void showsAnExampleToCheckAgainst() throws IOException {
    Envelope envelope =
        Envelope.compose(
            UUID.fromString("0d3c2e1f-6a5b-4c7d-8e9f-0a1b2c3d4e5f"),
            Instant.parse("2026-11-21T10:00:00Z"),
            "{\"title\":\"Grüße\",\"emitted_at\":\"".getBytes(UTF_8));

    assertThat(page("docs/receiving.md"))
        .contains("\n" + new String(envelope.buffer().getBytes(), UTF_8) + "\n")
        .contains(new WebhookSignature(List.of("whsec_golden")).sign(1_795_255_200L, envelope))
        .contains(SigningSecrets.inStandardForm("whsec_golden"))
        .contains(
            new WebhookSignature(List.of("whsec_golden"), true)
                .signByStandard(1_795_255_200L, envelope))
        .contains(
            "v1a,pZ5Ltg7IqUpdNUCRymssZ191yahueWjIe6aZMtRNvIS51lHbvsgOnjP6jGV2X7qc2+rQnPkdI+FLxytR+1B5DA==");
  }

  @Test
  void showsHowToKeepTheNewestRevision() throws Exception {
    assumeTrue(has("python3"), "python3 is not here");
    String program =
        """
        import sqlite3
        db = sqlite3.connect(":memory:")
        db.execute("create table copies (id text primary key, revision bigint not null, document text)")
        for arrived in ((2, "b"), (1, "a"), (2, "b"), (4, "d"), (3, "c"), (5, None), (4, "d")):
            db.execute(\"""%s\""", ("an id", *arrived))
            print(*db.execute("select revision, document from copies").fetchone())
        """
            .formatted(block(page("docs/receiving.md"), "insert into copies"));
    assertThat(Snippets.run(folder, Map.of(), "python3", "-c", program).lines())
        .containsExactly("2 b", "2 b", "2 b", "4 d", "4 d", "5 None", "5 None");
  }

  private Map<String, String> forgedHeaders() {
    long now = now();
    String good = delivery.sign(now, secret);
    String t = good.substring(0, good.indexOf(','));
    String v1 = good.substring(good.indexOf("v1="));
    String hex = v1.substring("v1=".length());
    Map<String, String> forged = new LinkedHashMap<>();
    forged.put("another secret", delivery.sign(now, "whsec_other"));
    forged.put("the secret without its prefix", delivery.sign(now, secret.substring(6)));
    forged.put("another second", "t=" + (now - 1) + "," + v1);
    forged.put("zeros", t + ",v1=" + "0".repeat(64));
    forged.put("one digit short", good.substring(0, good.length() - 1));
    forged.put("one digit long", good + "0");
    forged.put("empty", t + ",v1=");
    forged.put("not hex", t + ",v1=" + "z".repeat(64));
    forged.put("not ASCII, as many characters", t + ",v1=" + "é".repeat(64));
    forged.put("not ASCII, as many bytes", t + ",v1=" + "é".repeat(32));
    forged.put("another scheme", t + ",v0=" + hex);
    forged.put("a space after the comma", t + ", " + v1);
    forged.put("only t", t);
    forged.put("only v1", v1);
    forged.put("t without a value", "t=," + v1);
    forged.put("t no number", "t=now," + v1);
    forged.put("t beyond 64 bits", "t=" + "9".repeat(30) + "," + v1);
    forged.put("t in other digits", "t=²," + v1);
    forged.put("t negative", "t=-1," + v1);
    forged.put("nothing", "");
    forged.put("a comma", ",");
    return forged;
  }

  private Map<String, byte[]> alteredBodies() {
    String body = new String(delivery.body(), UTF_8);
    Map<String, byte[]> altered = new LinkedHashMap<>();
    altered.put("a letter", body.replace("Grüße", "Grüsse").getBytes(UTF_8));
    altered.put("decomposed", body.replace("ü", "u\u0308").getBytes(UTF_8));
    altered.put("escaped", body.replace("ü", "\\u00fc").getBytes(UTF_8));
    altered.put("spaced", body.replace("\":", "\": ").getBytes(UTF_8));
    altered.put("a newline at the end", (body + "\n").getBytes(UTF_8));
    altered.put("empty", new byte[0]);
    return altered;
  }

  /** Posted and answered within one second, so that the receiver's clock shows the same. */
  private int postAged(RawPost post, int seconds) throws IOException {
    while (true) {
      long now = now();
      int status = post.send(delivery.sign(now + seconds, secret), delivery.body());
      if (now() == now) {
        return status;
      }
    }
  }

  private void assertAccepted(CommandLine receiver, RawPost post, SignedDelivery genuine)
      throws IOException {
    assertThat(post.send(sign(genuine), genuine.body())).isEqualTo(ACCEPTED);
    receiver.awaitOutput("(?m)^verified " + genuine.capture() + "$");
  }

  private CommandLine start(ShownReceiver shown) throws IOException, InterruptedException {
    assumeTrue(shown.isHere(), shown.interpreter() + " is not here");
    return shown.start(secret);
  }

  private static RawPost post(CommandLine receiver) {
    return new RawPost(
        Integer.parseInt(receiver.awaitOutput("listening on http://127.0.0.1:(\\d+)\\b")));
  }

  private String run(String commands) throws IOException, InterruptedException {
    return Snippets.run(folder, Map.of("SIGNING_SECRET", secret), "bash", "-euc", commands);
  }

  private String sign(SignedDelivery signed) {
    return signed.sign(now(), secret);
  }

  private static long now() {
    return Instant.now().getEpochSecond();
  }
}
