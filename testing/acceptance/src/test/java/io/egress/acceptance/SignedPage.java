package io.egress.acceptance;

import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Mode;
import io.egress.transcript.capture.Segment;
import io.egress.transcript.document.TranscriptRenderer;
import io.egress.transcript.stream.Cursor;
import io.egress.transcript.stream.Feed;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.send.Content;
import io.egress.webhook.send.DocumentHead;
import io.egress.webhook.send.Envelope;
import io.egress.webhook.send.WebhookSignature;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The envelope of a page, as the service sends it. */
record SignedPage(List<String> captures, Cursor end, Envelope envelope) {
  private static final long CHAIN = 0x5eed;

  /** The first page of a stream. */
  static SignedPage first(int size, String text) {
    return after(null, size, text);
  }

  /** The page that follows this one. */
  SignedPage next(int size, String text) {
    return after(end, size, text);
  }

  private static SignedPage after(@Nullable Cursor after, int size, String text) {
    List<UUID> ids = Stream.generate(UUID::randomUUID).limit(size).toList();
    List<Content.Page.Entry> documents = new ArrayList<>();
    ids.forEach(id ->
        documents.add(Content.Page.Entry.ofStream(id, new DocumentHead(1, document(id, text)))));
    long position = after == null ? 0 : after.position();
    Cursor end = new Cursor(position + size, CHAIN + position);
    Content.Page page = new Content.Page(Feed.CAPTURES, after, documents, end, true);
    return new SignedPage(
        ids.stream().map(UUID::toString).toList(),
        end,
        Envelope.compose(Event.CAPTURES_PAGE, UUID.randomUUID(), Instant.now(), page));
  }

  /**
   * The page of changes after a number: of {@code updated}, which shows {@code text} since, and of
   * {@code erased}.
   */
  static SignedPage changes(long after, String updated, String erased, String text) {
    UUID id = UUID.fromString(updated);
    List<Content.Page.Entry> entries =
        List.of(
            Content.Page.Entry.ofChange(
                id, Instant.now(), new DocumentHead(2, document(id, text)), null),
            Content.Page.Entry.ofChange(UUID.fromString(erased), Instant.now(), null, text));
    Cursor end = new Cursor(after + entries.size(), CHAIN + after);
    Cursor before = after == 0 ? null : new Cursor(after, CHAIN + after - entries.size());
    Content.Page page = new Content.Page(Feed.CHANGES, before, entries, end, false);
    return new SignedPage(
        List.of(updated, erased),
        end,
        Envelope.compose(Event.CHANGES_PAGE, UUID.randomUUID(), Instant.now(), page));
  }

  private static byte[] document(UUID id, String text) {
    Capture capture =
        new Capture(
            id,
            UUID.randomUUID(),
            Mode.AMBIENT,
            text,
            null,
            Instant.parse("2026-01-31T09:30:00Z"),
            null,
            null,
            new Device(UUID.randomUUID(), "Room Atlas"),
            List.of(),
            List.of(new Segment(0, 900, "S1", text)));
    return new TranscriptRenderer().render(capture);
  }

  byte[] body() {
    return envelope.buffer().getBytes();
  }

  String sign(String secret) {
    return new WebhookSignature(List.of(secret)).sign(Instant.now().getEpochSecond(), envelope);
  }
}
