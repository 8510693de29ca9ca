package io.egress.api.admin.operator;

import static java.util.Objects.requireNonNull;

import io.egress.platform.json.UtcInstant;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A capture, of whatever workspace.
 *
 * @param position null unless it is in the stream
 * @param erased null unless it was erased
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
    @Nullable Erased erased) {
  /** Where it is, or why it is not in the stream. */
  public enum State {
    IN_STREAM,
    ERASED,
    /** Acknowledged, and without a position for a moment. */
    ENTERING,
    /** Not finished. */
    WITHOUT_SEGMENTS;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Its erasure; {@code by} is null if nobody was named. */
  public record Erased(Instant at, @Nullable String by, String reason) {}

  public FoundCapture {
    requireNonNull(id, "id is null");
    requireNonNull(workspaceId, "workspaceId is null");
    requireNonNull(state, "state is null");
    requireNonNull(createdAt, "createdAt is null");
    requireNonNull(updatedAt, "updatedAt is null");
  }

  JsonObject json() {
    return new JsonObject()
        .put("id", id.toString())
        .put("workspace_id", workspaceId.toString())
        .put("title", title)
        .put("state", state.word())
        .put("position", position)
        .put("revision", revision)
        .put("segments", segments)
        .put("created_at", UtcInstant.format(createdAt))
        .put("updated_at", UtcInstant.format(updatedAt))
        .put("entered_at", time(enteredAt))
        .put("erased_at", erased == null ? null : UtcInstant.format(erased.at()))
        .put("erased_by", erased == null ? null : erased.by())
        .put("erased_reason", erased == null ? null : erased.reason());
  }

  private static @Nullable String time(@Nullable Instant instant) {
    return instant == null ? null : UtcInstant.format(instant);
  }
}
