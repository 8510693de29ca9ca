package io.egress.webhook.endpoint;

import io.egress.platform.json.Json;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Specifications as the database has them. Processes of release 1.0.0 read and change them, too,
 * and know {@code standard_webhooks} as a boolean: a property of its own says which keys sign.
 */
public final class StoredSpec {
  private static final String STANDARD_WEBHOOKS = "standard_webhooks";
  private static final String BY_ED25519 = "standard_webhooks_ed25519";

  private static final Pattern SIGNED_BY_ED25519 = Pattern.compile(BY_ED25519 + "\": *true");

  private StoredSpec() {}

  public static JsonObject encode(EndpointSpec spec) {
    return Json.object(spec)
        .put(STANDARD_WEBHOOKS, spec.standardWebhooks() != StandardWebhooks.OFF)
        .put(BY_ED25519, spec.standardWebhooks() == StandardWebhooks.ED25519);
  }

  /** Nearly all are decoded as they are, without a step between. */
  static EndpointSpec decode(String stored) {
    if (!SIGNED_BY_ED25519.matcher(stored).find()) {
      return Json.decode(stored, EndpointSpec.class);
    }
    JsonObject spec = new JsonObject(stored);
    boolean byEd25519 = Boolean.TRUE.equals(spec.getValue(BY_ED25519));
    if (byEd25519 && Boolean.TRUE.equals(spec.getValue(STANDARD_WEBHOOKS))) {
      spec.put(STANDARD_WEBHOOKS, StandardWebhooks.ED25519.value());
    }
    return Json.decode(spec.encode(), EndpointSpec.class);
  }

  /** What is not among these stays as it is, also what only a newer release knows. */
  static JsonObject changes(EndpointSpec before, EndpointSpec after) {
    JsonObject changes = encode(after);
    encode(before)
        .forEach(property -> {
          if (Objects.equals(property.getValue(), changes.getValue(property.getKey()))) {
            changes.remove(property.getKey());
          }
        });
    if (before.standardWebhooks() != after.standardWebhooks()) {
      // Release 1.0.0 changes one of the two alone.
      changes.put(BY_ED25519, after.standardWebhooks() == StandardWebhooks.ED25519);
    }
    return changes;
  }
}
