package io.egress.transcript.text;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A capture as the service sent it. What becomes part of a path is parsed, so no answer can name a
 * file outside the folder.
 *
 * @param bytes the document as it was sent
 */
public record CaptureDocument(
    UUID id, UUID workspace, Instant startedAt, Instant emittedAt, JsonObject json, Buffer bytes) {
  private static final int YEAR_MAX = 9999;

  public static CaptureDocument parse(byte[] bytes) throws IOException {
    JsonObject json;
    try {
      json = new JsonObject(Buffer.buffer(bytes));
    } catch (DecodeException | ClassCastException broken) {
      throw new IOException("not a JSON object", broken);
    }
    return new CaptureDocument(
        id(json.getValue("id")),
        id(json.getValue("workspace_id")),
        time(json.getValue("started_at")),
        time(json.getValue("emitted_at")),
        json,
        Buffer.buffer(bytes));
  }

  /** The day of the conversation, in UTC. */
  public LocalDate day() {
    return day(startedAt);
  }

  public static LocalDate day(Instant time) {
    return LocalDate.ofInstant(time, ZoneOffset.UTC);
  }

  /** {@code UUID.fromString} also takes shorter forms. */
  public static UUID id(@Nullable Object value) throws IOException {
    if (value instanceof String text) {
      try {
        UUID id = UUID.fromString(text);
        if (id.toString().equals(text.toLowerCase(Locale.ROOT))) {
          return id;
        }
      } catch (IllegalArgumentException notOne) {
        throw new IOException("not a UUID: " + text, notOne);
      }
    }
    throw new IOException("not a UUID: " + value);
  }

  public static Instant time(@Nullable Object value) throws IOException {
    if (value instanceof String text) {
      try {
        Instant time = Instant.parse(text);
        int year = day(time).getYear();
        if (year > 0 && year <= YEAR_MAX) {
          return time;
        }
      } catch (DateTimeException notOne) {
        throw new IOException("not a time: " + text, notOne);
      }
    }
    throw new IOException("not a time: " + value);
  }

  public @Nullable String text(String field) {
    return text(json, field);
  }

  public static @Nullable String text(JsonObject json, String field) {
    return json.getValue(field) instanceof String text ? text : null;
  }

  /** The objects in an array. */
  public List<JsonObject> objects(String field) {
    return json.getValue(field) instanceof JsonArray array
        ? array.stream().filter(JsonObject.class::isInstance).map(JsonObject.class::cast).toList()
        : List.of();
  }
}
