package io.egress.api.admin.audit;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The position of an entry in lists, which are sorted by time (in microseconds) and number. Encoded
 * as text, it is the cursor of the page that ended there.
 */
record AuditCursor(Instant at, long id) {
  private static final int BYTES = 2 * Long.BYTES;
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  /** The position after all entries at or after {@code instant}. */
  static AuditCursor before(Instant instant) {
    return new AuditCursor(instant.isAfter(LATEST) ? LATEST : instant, 0);
  }

  /** The position before all entries. */
  static AuditCursor first() {
    return before(LATEST);
  }

  AuditCursor orLater(AuditCursor other) {
    return at.isBefore(other.at) || (at.equals(other.at) && id < other.id) ? this : other;
  }

  String encode() {
    byte[] bytes = ByteBuffer.allocate(BYTES).putLong(micros(at)).putLong(id).array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Empty if {@link #encode} cannot have written the text. */
  static Optional<AuditCursor> decode(String text) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
    if (bytes.length != BYTES) {
      return Optional.empty();
    }
    ByteBuffer fields = ByteBuffer.wrap(bytes);
    long micros = fields.getLong();
    long id = fields.getLong();
    return micros < 0 || micros > micros(LATEST)
        ? Optional.empty()
        : Optional.of(new AuditCursor(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), id));
  }

  private static long micros(Instant instant) {
    return TimeUnit.SECONDS.toMicros(instant.getEpochSecond())
        + TimeUnit.NANOSECONDS.toMicros(instant.getNano());
  }
}
