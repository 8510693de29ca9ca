package io.egress.dispatcher;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.UUID;

/** A webhook as received. */
public record Arrival(
    String receiver, Instant at, UUID deliveryId, String event, String signature, Buffer body) {
  public JsonObject envelope() {
    return new JsonObject(body);
  }

  public UUID captureId() {
    return UUID.fromString(envelope().getJsonObject("data").getString("id"));
  }
}
