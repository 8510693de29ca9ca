package io.egress.standalone.receiver;

import io.vertx.core.json.JsonObject;
import java.util.UUID;

/** Whether a request is a valid webhook of this service. */
public sealed interface Verdict {
  record Genuine(UUID deliveryId, JsonObject data) implements Verdict {}

  record Refused(String reason) implements Verdict {}
}
