package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.egress.transcript.document.Fragment;
import io.egress.transcript.stream.Cursor;
import io.egress.transcript.stream.Feed;
import io.egress.webhook.delivery.Event;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvelopeTest {
  private static final UUID DELIVERY = UUID.fromString("0d3c2e1f-6a5b-4c7d-8e9f-0a1b2c3d4e5f");

  @Test
  void wrapsTheDocumentUnchanged() {
    byte[] head = "{ \"title\" : \"Gr\\u00fc\u00dfe\",\"emitted_at\":\"".getBytes(UTF_8);
    Envelope envelope =
        Envelope.compose(DELIVERY, Instant.parse("2026-11-21T10:00:00.1239Z"), head);

    assertThat(new String(envelope.buffer().getBytes(), UTF_8))
        .isEqualTo(
            "{\"event\":\"capture.processed\","
                + "\"delivery_id\":\"0d3c2e1f-6a5b-4c7d-8e9f-0a1b2c3d4e5f\","
                + "\"emitted_at\":\"2026-11-21T10:00:00.123Z\","
                + "\"data\":{ \"title\" : \"Gr\\u00fc\u00dfe\","
                + "\"emitted_at\":\"2026-11-21T10:00:00.123Z\"}}");
    assertThat(envelope.deliveryId()).isEqualTo(DELIVERY);
    assertThat(envelope.length()).isEqualTo(envelope.buffer().length());
  }

  @Test
  void isTheSameCompressed() throws IOException {
    byte[] head = "{ \"title\" : \"Gr\u00fc\u00dfe\",\"emitted_at\":\"".getBytes(UTF_8);
    Instant at = Instant.parse("2026-11-21T10:00:00.1239Z");
    DocumentHead stored = new DocumentHead(1, Fragment.deflate(head));

    for (DocumentHead each : List.of(stored, new DocumentHead(1, head))) {
      Envelope envelope =
          Envelope.compose(Event.CAPTURE_UPDATED, DELIVERY, at, new Content.Document(each), true);
      byte[] sent = envelope.buffer().getBytes();

      assertThat(new GZIPInputStream(new ByteArrayInputStream(sent)).readAllBytes())
          .isEqualTo(
              Envelope.compose(Event.CAPTURE_UPDATED, DELIVERY, at, head).buffer().getBytes());
      assertThat(envelope.length()).isEqualTo(sent.length);
    }
    assertThat(stored.isInflated()).isFalse();
  }

  @Test
  void itsMemoryIsThatOfWhatIsSent() {
    byte[] head =
        ("{\"text\":\"" + "words ".repeat(5_000) + "\",\"emitted_at\":\"").getBytes(UTF_8);
    DocumentHead stored = new DocumentHead(1, Fragment.deflate(head));
    Content document = new Content.Document(stored);
    Content page =
        new Content.Page(
            Feed.CAPTURES,
            null,
            List.of(Content.Page.Entry.ofStream(UUID.randomUUID(), stored)),
            new Cursor(1, 1),
            false);

    for (Content content : List.of(document, page)) {
      for (boolean compressed : List.of(false, true)) {
        Envelope envelope =
            Envelope.compose(Event.CAPTURE_PROCESSED, DELIVERY, Instant.EPOCH, content, compressed);
        assertThat(content.length(compressed)).isCloseTo(envelope.length(), within(500));
      }
    }
  }

  @Test
  void isJsonWithOneInstant() {
    JsonObject envelope = SenderHarness.envelope("x").buffer().toJsonObject();

    assertThat(envelope.fieldNames()).containsExactly("event", "delivery_id", "emitted_at", "data");
    assertThat(envelope.getJsonObject("data").getString("emitted_at"))
        .isEqualTo(envelope.getString("emitted_at"));
  }

  @ParameterizedTest
  @CsvSource({
    "2026-11-21T10:00:00Z, 2026-11-21T10:00:00.000Z",
    "2026-11-21T10:00:00.5Z, 2026-11-21T10:00:00.500Z",
    "2026-11-21T10:00:00.000999999Z, 2026-11-21T10:00:00.000Z",
    "2026-12-31T23:59:59.999999999Z, 2026-12-31T23:59:59.999Z",
    "2028-02-29T00:00:00Z, 2028-02-29T00:00:00.000Z",
  })
  void writesThreeFractionDigits(Instant instant, String text) {
    byte[] head = "{\"emitted_at\":\"".getBytes(UTF_8);

    JsonObject envelope = Envelope.compose(DELIVERY, instant, head).buffer().toJsonObject();

    assertThat(envelope.getString("emitted_at")).isEqualTo(text);
  }

  @Test
  void refusesAnInvalidDocumentHead() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Envelope.compose(DELIVERY, Instant.now(), "{}".getBytes(UTF_8)));
  }
}
