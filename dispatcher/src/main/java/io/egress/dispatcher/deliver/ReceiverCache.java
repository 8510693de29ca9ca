package io.egress.dispatcher.deliver;

import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.send.Receiver;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * Caches parsed URLs, opened secrets, headers and certificates of endpoints while they are
 * unchanged. Owned by one event loop, except for the signatures, which the sender uses.
 */
final class ReceiverCache {
  private static final int KEPT_MAX = 10_000;

  private record Kept(EndpointTarget madeOf, Receiver receiver) {}

  private final SecretBox secrets;
  private final boolean allowHttp;
  private final Map<UUID, Kept> receivers =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Kept> eldest) {
          return size() > KEPT_MAX;
        }
      };

  ReceiverCache(SecretBox secrets, boolean allowHttp) {
    this.secrets = secrets;
    this.allowHttp = allowHttp;
  }

  /** Throws the exceptions of {@link SecretBox#open} if a secret cannot be opened. */
  Receiver of(EndpointTarget target) {
    Kept kept = receivers.get(target.id());
    if (kept != null
        && kept.madeOf().url().equals(target.url())
        && kept.madeOf().sealedSecrets().equals(target.sealedSecrets())
        && Objects.equals(kept.madeOf().sealedHeaders(), target.sealedHeaders())
        && Objects.equals(kept.madeOf().sealedCertificate(), target.sealedCertificate())
        && kept.madeOf().standardWebhooks() == target.standardWebhooks()) {
      return kept.receiver();
    }
    Receiver made = Receiver.of(target, secrets, allowHttp);
    receivers.put(target.id(), new Kept(target, made));
    return made;
  }
}
