package io.egress.api.admin.captures;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A capture, of whatever workspace.
 *
 * @param position null unless it is in the stream
 * @param erasedAt null unless it was erased
 * @param erasedBy null if nobody was named
 */
public record FoundCapture(
    UUID id,
    UUID workspaceId,
    @Nullable String title,
    State state,
    @Nullable Long position,
    long revision,
    int segments,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant enteredAt,
    @Nullable Instant erasedAt,
    @Nullable String erasedBy,
    @Nullable String erasedReason) {
  /** Where it is, or why it is not in the stream. */
  public enum State {
    IN_STREAM,
    ERASED,
    /** Acknowledged, and without a position for a moment. */
    ENTERING,
    /** Not finished. */
    WITHOUT_SEGMENTS;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
