package io.egress.transcript.stream;

import io.egress.platform.kafka.NewerRecordException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The record of a capture that entered the stream: ids only, never the document.
 *
 * @param traceparent the previous span, if the capture is traced; the record's header
 */
public record ProcessedCapture(
    UUID workspaceId,
    long position,
    UUID captureId,
    Instant enteredAt,
    @Nullable String traceparent) {
  /** For a capture that is not traced. */
  public ProcessedCapture(UUID workspaceId, long position, UUID captureId, Instant enteredAt) {
    this(workspaceId, position, captureId, enteredAt, null);
  }

  public Buffer encode() {
    return new JsonObject()
        .put("workspace_id", workspaceId.toString())
        .put("position", position)
        .put("capture_id", captureId.toString())
        .put("entered_at", enteredAt)
        .toBuffer();
  }

  /**
   * {@code traceparent} is the record's header. Throws {@link NewerRecordException}, or another
   * {@link RuntimeException} if no release can have written the value.
   */
  public static ProcessedCapture decode(Buffer value, @Nullable String traceparent) {
    JsonObject json = value.toJsonObject();
    NewerRecordException.check(json.getInteger(NewerRecordException.FIELD, 1));
    return new ProcessedCapture(
        UUID.fromString(json.getString("workspace_id")),
        json.getLong("position"),
        UUID.fromString(json.getString("capture_id")),
        json.getInstant("entered_at"),
        traceparent);
  }
}
