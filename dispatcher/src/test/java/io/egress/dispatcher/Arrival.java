package io.egress.dispatcher;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.UUID;
import java.util.zip.GZIPInputStream;

/** A webhook as received. */
public record Arrival(
    String receiver, Instant at, UUID deliveryId, String event, MultiMap headers, Buffer body) {
  public String signature() {
    return headers.get("x-service-signature");
  }

  public boolean isCompressed() {
    return headers.contains("content-encoding", "gzip", true);
  }

  public JsonObject envelope() {
    return isCompressed() ? inflate(body).toJsonObject() : new JsonObject(body);
  }

  public static Buffer inflate(Buffer gzip) {
    try (var text = new GZIPInputStream(new ByteArrayInputStream(gzip.getBytes()))) {
      return Buffer.buffer(text.readAllBytes());
    } catch (IOException damaged) {
      throw new UncheckedIOException(damaged);
    }
  }

  public UUID captureId() {
    return UUID.fromString(envelope().getJsonObject("data").getString("id"));
  }
}
