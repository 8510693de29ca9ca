package io.egress.standalone.receiver;

import static java.util.Objects.requireNonNull;

import io.vertx.core.json.JsonObject;
import java.util.UUID;

/** Whether a request is a valid webhook of this service. */
public sealed interface Verdict {
  record Genuine(UUID deliveryId, JsonObject data) implements Verdict {
    public Genuine {
      requireNonNull(deliveryId, "deliveryId is null");
      requireNonNull(data, "data is null");
    }
  }

  record Refused(String reason) implements Verdict {
    public Refused {
      requireNonNull(reason, "reason is null");
    }
  }
}
