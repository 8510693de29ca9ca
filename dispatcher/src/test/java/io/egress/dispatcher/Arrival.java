package io.egress.dispatcher;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.UUID;

/** A webhook as received. */
public record Arrival(
    String receiver, Instant at, UUID deliveryId, String event, MultiMap headers, Buffer body) {
  public String signature() {
    return headers.get("x-service-signature");
  }

  public JsonObject envelope() {
    return new JsonObject(body);
  }

  public UUID captureId() {
    return UUID.fromString(envelope().getJsonObject("data").getString("id"));
  }
}
