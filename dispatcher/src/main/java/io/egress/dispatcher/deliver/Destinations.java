package io.egress.dispatcher.deliver;

import io.egress.platform.flow.LatestUsed;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.send.Destination;
import io.egress.webhook.send.WebhookSender;
import java.util.Map;
import java.util.UUID;

/**
 * The destinations of endpoints, each with its URL parsed and its secrets opened, for as long as
 * the endpoint is unchanged. Owned by one event loop.
 */
final class Destinations {
  private static final int KEPT_MAX = 10_000;

  private record Cached(EndpointTarget.Setup madeOf, Destination destination) {}

  private final SecretBox secrets;
  private final boolean allowHttp;
  private final WebhookSender sender;
  private final Map<UUID, Cached> destinations = new LatestUsed<>(KEPT_MAX);

  Destinations(SecretBox secrets, boolean allowHttp, WebhookSender sender) {
    this.secrets = secrets;
    this.allowHttp = allowHttp;
    this.sender = sender;
  }

  /** Throws the exceptions of {@link SecretBox#open} if a secret cannot be opened. */
  Destination of(EndpointTarget target) {
    Cached cached = destinations.get(target.id());
    if (cached != null && cached.madeOf().equals(target.setup())) {
      return cached.destination();
    }
    Destination made = new Destination(target, secrets, allowHttp, sender);
    destinations.put(target.id(), new Cached(target.setup(), made));
    return made;
  }
}
