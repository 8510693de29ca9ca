package io.egress.acceptance;

import static io.egress.acceptance.Snippets.block;
import static io.egress.acceptance.Snippets.has;
import static io.egress.acceptance.Snippets.page;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.acceptance.PageReceiver.Stored;
import io.egress.webhook.endpoint.SigningSecrets;
import io.egress.webhook.send.Envelope;
import io.egress.webhook.send.WebhookSignature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the receivers of pages of docs/receivers and posts genuine and forged pages to them. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class ReceivingPagesTest {
  private static final int ACCEPTED = 204;
  private static final int WRONG_EVENT = 400;
  private static final int FORGED = 401;
  private static final int GAP = 409;
  private static final String TEXT =
      "Grüße, \"data\":{\"after\":\"𝄞\"},\n\u2028 \"pageInfo\":{}}}";

  private final Path folder;
  private final String secret = SigningSecrets.generate();
  private final SignedPage first = SignedPage.first(3, TEXT);
  private final SignedPage second = first.next(1, TEXT);
  private final SignedPage third = second.next(100, TEXT);

  ReceivingPagesTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @ParameterizedTest
  @EnumSource
  void storesEachPageOnceAndNothingAfterAGap(ShownReceiver shown) throws Exception {
    try (PageReceiver receiver = start(shown)) {
      RawPost post = receiver.post();
      assertThat(send(post, first)).isEqualTo(ACCEPTED);
      assertThat(receiver.stored()).isEqualTo(stored(first));
      assertThat(send(post, third)).as("a gap").isEqualTo(GAP);
      assertThat(receiver.stored()).isEqualTo(stored(first));
      assertThat(send(post, second)).isEqualTo(ACCEPTED);
      assertThat(send(post, second)).as("a repetition").isEqualTo(ACCEPTED);
      assertThat(send(post, first)).as("an attempt that was under way for long").isEqualTo(GAP);
      assertThat(receiver.stored()).isEqualTo(stored(first, second));
      assertThat(send(post, third)).isEqualTo(ACCEPTED);
      assertThat(receiver.stored()).isEqualTo(stored(first, second, third));
    }
  }

  @ParameterizedTest
  @EnumSource
  void storesCompressedPages(ShownReceiver shown) throws Exception {
    try (PageReceiver receiver = start(shown)) {
      RawPost post = receiver.post();
      assertThat(post.sendCompressed("whsec_other", first.body())).isEqualTo(FORGED);
      assertThat(post.sendCompressed(secret, first.body())).isEqualTo(ACCEPTED);
      assertThat(send(post, second)).isEqualTo(ACCEPTED);
      assertThat(post.sendCompressed(secret, third.body())).isEqualTo(ACCEPTED);
      assertThat(receiver.stored()).isEqualTo(stored(first, second, third));
    }
  }

  @ParameterizedTest
  @EnumSource
  void refusesForgedSignatures(ShownReceiver shown) throws Exception {
    try (PageReceiver receiver = start(shown)) {
      RawPost post = receiver.post();
      assertThat(post.send(first.sign("whsec_other"), first.body())).isEqualTo(FORGED);
      assertThat(post.send(null, first.body())).isEqualTo(FORGED);
      assertThat(post.send(second.sign(secret), first.body())).isEqualTo(FORGED);
      post.sendHalf(first.sign(secret), first.body());
      assertThat(receiver.stored()).isEqualTo(stored());

      assertThat(send(post, first)).isEqualTo(ACCEPTED);
      assertThat(receiver.stored()).isEqualTo(stored(first));
    }
  }

  /** Also where an earlier page was not stored to its end. */
  @ParameterizedTest
  @EnumSource
  void goesOnAfterAKill(ShownReceiver shown) throws Exception {
    try (PageReceiver receiver = start(shown)) {
      assertThat(send(receiver.post(), first)).isEqualTo(ACCEPTED);
      assertThat(send(receiver.post(), second)).isEqualTo(ACCEPTED);
      receiver.kill();
      if (shown != ShownReceiver.PYTHON) {
        Files.writeString(
            folder.resolve("pages.jsonl"),
            new String(third.body(), UTF_8).repeat(2) + "\n{",
            StandardOpenOption.APPEND);
      }
      receiver.restart(0);
      RawPost post = receiver.post();
      assertThat(send(post, second)).isEqualTo(ACCEPTED);
      assertThat(send(post, third.next(1, TEXT))).isEqualTo(GAP);
      assertThat(send(post, third)).isEqualTo(ACCEPTED);
      assertThat(receiver.stored()).isEqualTo(stored(first, second, third));
    }
  }

  @ParameterizedTest
  @EnumSource
  void beginsWithAnyPage(ShownReceiver shown) throws Exception {
    try (PageReceiver receiver = start(shown)) {
      RawPost post = receiver.post();
      assertThat(send(post, second)).isEqualTo(ACCEPTED);
      assertThat(send(post, first)).isEqualTo(GAP);
      assertThat(send(post, third)).isEqualTo(ACCEPTED);
      assertThat(receiver.stored()).isEqualTo(stored(second, third));
    }
  }

  /** All of its captures were erased after it was sent first. */
  @ParameterizedTest
  @EnumSource
  void storesTheCursorOfAPageWithoutCaptures(ShownReceiver shown) throws Exception {
    try (PageReceiver receiver = start(shown)) {
      RawPost post = receiver.post();
      SignedPage empty = first.next(0, TEXT);
      SignedPage last = empty.next(2, TEXT);
      assertThat(send(post, first)).isEqualTo(ACCEPTED);
      assertThat(send(post, empty)).isEqualTo(ACCEPTED);
      assertThat(send(post, last)).isEqualTo(ACCEPTED);
      assertThat(receiver.stored()).isEqualTo(stored(first, empty, last));
    }
  }

  /** Which have a cursor of their own. */
  @ParameterizedTest
  @EnumSource
  void storesWhatBecameOfCaptures(ShownReceiver shown) throws Exception {
    try (PageReceiver receiver = start(shown)) {
      String updated = first.captures().get(1);
      String erased = first.captures().get(2);
      SignedPage changes = SignedPage.changes(0, updated, erased, TEXT);
      SignedPage more = SignedPage.changes(2, first.captures().get(0), erased, TEXT);
      assertThat(send(receiver.post(), first)).isEqualTo(ACCEPTED);
      assertThat(send(receiver.post(), changes)).isEqualTo(ACCEPTED);
      assertThat(send(receiver.post(), second)).as("of the stream").isEqualTo(ACCEPTED);
      receiver.kill();
      receiver.restart(0);
      assertThat(send(receiver.post(), changes)).as("a repetition").isEqualTo(ACCEPTED);
      assertThat(send(receiver.post(), SignedPage.changes(4, updated, erased, TEXT)))
          .as("a gap")
          .isEqualTo(GAP);
      assertThat(send(receiver.post(), more)).isEqualTo(ACCEPTED);
      assertThat(receiver.storedChanges()).contains(more.end().encode());
      List<String> left = new ArrayList<>(stored(first, second).ids());
      left.remove(erased);
      assertThat(receiver.stored()).isEqualTo(new Stored(left, Optional.of(second.end().encode())));
    }
  }

  @ParameterizedTest
  @EnumSource
  void storesNothingElse(ShownReceiver shown) throws Exception {
    try (PageReceiver receiver = start(shown)) {
      RawPost post = receiver.post();
      Envelope test =
          Envelope.compose(
              UUID.randomUUID(),
              Instant.now(),
              "{\"id\":\"7e57da7a-0000-4000-8000-000000000000\",\"emitted_at\":\"".getBytes(UTF_8));
      String signature =
          new WebhookSignature(List.of(secret)).sign(Instant.now().getEpochSecond(), test);
      assertThat(post.send(signature, test.buffer().getBytes())).isEqualTo(ACCEPTED);
      SignedDelivery capture = SignedDelivery.of(TEXT);
      assertThat(post.send(capture.sign(Instant.now().getEpochSecond(), secret), capture.body()))
          .as("an endpoint that is sent each capture")
          .isEqualTo(WRONG_EVENT);
      assertThat(receiver.stored()).isEqualTo(stored());
    }
  }

  @Test
  void showsHowToListWhatIsStored() throws Exception {
    assumeTrue(has("jq"), "jq is not here");
    try (PageReceiver receiver = start(ShownReceiver.JAVA)) {
      send(receiver.post(), first);
      send(receiver.post(), second);
      Files.writeString(folder.resolve("pages.jsonl"), "{\"capt", StandardOpenOption.APPEND);
      String command = block(page("docs/receiving.md"), "head -c");
      assertThat(Snippets.run(folder, Map.of(), "sh", "-euc", command).lines())
          .containsExactlyElementsOf(stored(first, second).ids());
    }
  }

  @ParameterizedTest
  @EnumSource
  void verifiesAsItIsShown(ShownReceiver shown) throws IOException {
    assertThat(shown.pageReceiver()).contains(shown.shownVerification());
  }

  private PageReceiver start(ShownReceiver shown) throws IOException, InterruptedException {
    assumeTrue(shown.isHere(), shown.interpreter() + " is not here");
    return new PageReceiver(shown, folder, secret);
  }

  private int send(RawPost post, SignedPage page) throws IOException {
    return post.send(page.sign(secret), page.body());
  }

  private static Stored stored(SignedPage... pages) {
    List<String> ids = new ArrayList<>();
    Optional<String> cursor = Optional.empty();
    for (SignedPage page : pages) {
      ids.addAll(page.captures());
      cursor = Optional.of(page.end().encode());
    }
    return new Stored(ids, cursor);
  }
}
