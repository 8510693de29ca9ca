package io.egress.api.admin.audit;

import io.egress.api.intake.CursorText;
import java.time.Instant;
import java.util.Optional;

/**
 * The position of an entry in lists, which are sorted by time (in microseconds) and number. Encoded
 * as text, it is the cursor of the page that ended there.
 */
record AuditCursor(Instant at, long id) {
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
    return CursorText.encode(CursorText.micros(at), id);
  }

  /** Empty if {@link #encode} cannot have written the text. */
  static Optional<AuditCursor> decode(String text) {
    return CursorText.decode(text, 2)
        .filter(numbers -> numbers[0] >= 0 && numbers[0] <= CursorText.micros(LATEST))
        .map(numbers -> new AuditCursor(CursorText.instant(numbers[0]), numbers[1]));
  }
}
