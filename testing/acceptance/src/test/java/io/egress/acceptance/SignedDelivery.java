package io.egress.acceptance;

import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Mode;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.Segment;
import io.egress.transcript.document.TranscriptRenderer;
import io.egress.webhook.send.Envelope;
import io.egress.webhook.send.WebhookSignature;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/** The envelope of a capture that has {@code text} in every field. */
record SignedDelivery(String capture, Envelope envelope) {
  static SignedDelivery of(String text) {
    UUID id = UUID.randomUUID();
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
            List.of(new Participant("S1", null, null, 900)),
            List.of(new Segment(0, 900, "S1", text)));
    byte[] document = new TranscriptRenderer().render(capture);
    return new SignedDelivery(
        id.toString(), Envelope.compose(UUID.randomUUID(), Instant.now(), document));
  }

  static SignedDelivery random(Random random) {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(2_000); length > 0; length--) {
      int codePoint = random.nextInt(Character.MAX_CODE_POINT + 1);
      if (Character.getType(codePoint) != Character.SURROGATE) {
        text.appendCodePoint(codePoint);
      }
    }
    return of(text.toString());
  }

  byte[] body() {
    return envelope.buffer().getBytes();
  }

  /** The headers of Standard Webhooks. */
  Map<String, String> signByStandard(long unixSeconds, String... secrets) {
    return Map.of(
        "webhook-id",
        envelope.deliveryId().toString(),
        "webhook-timestamp",
        Long.toString(unixSeconds),
        "webhook-signature",
        new WebhookSignature(List.of(secrets), true).signByStandard(unixSeconds, envelope));
  }

  String sign(long unixSeconds, String... secrets) {
    return new WebhookSignature(List.of(secrets)).sign(unixSeconds, envelope);
  }
}
