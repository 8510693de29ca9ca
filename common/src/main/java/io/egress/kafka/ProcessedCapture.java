package io.egress.kafka;

import static java.util.Objects.requireNonNull;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.UUID;

/** The record that says a capture entered the stream: ids only, never the document. */
public record ProcessedCapture(UUID workspaceId, long position, UUID captureId, Instant enteredAt) {
  public ProcessedCapture {
    requireNonNull(workspaceId, "workspaceId is null");
    requireNonNull(captureId, "captureId is null");
    requireNonNull(enteredAt, "enteredAt is null");
  }

  public Buffer encode() {
    return new JsonObject()
        .put("workspace_id", workspaceId.toString())
        .put("position", position)
        .put("capture_id", captureId.toString())
        .put("entered_at", enteredAt)
        .toBuffer();
  }

  public static ProcessedCapture decode(Buffer value) {
    JsonObject json = value.toJsonObject();
    return new ProcessedCapture(
        UUID.fromString(json.getString("workspace_id")),
        json.getLong("position"),
        UUID.fromString(json.getString("capture_id")),
        json.getInstant("entered_at"));
  }
}
