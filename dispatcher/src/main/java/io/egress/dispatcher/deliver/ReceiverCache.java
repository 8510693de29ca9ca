package io.egress.dispatcher.deliver;

import static java.util.Objects.requireNonNull;

import io.egress.dispatcher.send.WebhookSignature;
import io.egress.endpoint.EndpointTarget;
import io.egress.endpoint.EndpointUrl;
import io.egress.endpoint.SecretBox;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What endpoints' URLs and secrets were made into, for as long as they are what they were. Owned by
 * one event loop, but for the signatures, which the sender uses.
 */
final class ReceiverCache {
  private static final int KEPT_MAX = 10_000;

  /** Where webhooks of an endpoint go, and how they are signed. */
  record Receiver(EndpointTarget madeOf, EndpointUrl.Parsed url, WebhookSignature signature) {}

  private final SecretBox secrets;
  private final boolean allowHttp;
  private final Map<UUID, Receiver> receivers =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Receiver> eldest) {
          return size() > KEPT_MAX;
        }
      };

  ReceiverCache(SecretBox secrets, boolean allowHttp) {
    this.secrets = requireNonNull(secrets, "secrets is null");
    this.allowHttp = allowHttp;
  }

  /** Throws what {@link SecretBox#open} throws when a secret cannot be opened. */
  Receiver of(EndpointTarget target) {
    Receiver kept = receivers.get(target.id());
    if (kept != null
        && kept.madeOf().url().equals(target.url())
        && kept.madeOf().sealedSecrets().equals(target.sealedSecrets())) {
      return kept;
    }
    List<String> opened =
        target.sealedSecrets().stream()
            .map(secret -> secrets.open(secret.getBytes(), target.id()))
            .toList();
    Receiver made =
        new Receiver(
            target, EndpointUrl.parse(target.url(), allowHttp), new WebhookSignature(opened));
    receivers.put(target.id(), made);
    return made;
  }
}
