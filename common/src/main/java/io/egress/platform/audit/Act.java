package io.egress.platform.audit;

import io.vertx.core.json.JsonObject;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An administrative act.
 *
 * @param action such as {@code endpoint.created}
 * @param kind the type of the thing affected, such as {@code endpoint}
 * @param changes the values set; never a secret, a key, a token or the value of a header
 */
public record Act(String action, String kind, @Nullable UUID thingId, JsonObject changes) {}
