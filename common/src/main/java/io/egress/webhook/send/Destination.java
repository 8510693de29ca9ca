package io.egress.webhook.send;

import io.egress.webhook.delivery.Event;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.endpoint.SecretBox;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where an endpoint's deliveries go, and how. Those who schedule attempts know nothing of it but
 * this; today, all endpoints get webhooks over HTTPS.
 */
public interface Destination {
  /**
   * What one attempt sends, besides its content.
   *
   * @param capture what is sent; of a page, its last capture
   * @param startedAt when the attempt began, which is signed
   * @param traceparent for receivers that continue traces
   */
  record Message(
      Event event,
      UUID deliveryId,
      CaptureState capture,
      Instant startedAt,
      @Nullable String traceparent) {}

  /** Throws the exceptions of {@link SecretBox#open} if a secret cannot be opened. */
  static Destination of(
      EndpointTarget target, SecretBox secrets, boolean allowHttp, WebhookSender sender) {
    return WebhookDestination.of(target, secrets, allowHttp, sender);
  }

  /** Null if it was valid when it was set, and the settings have become stricter since. */
  @Nullable EndpointUrl url();

  /**
   * Begins an attempt, whose outcome may be known at once. {@code authorized} is what this attempt
   * had as its outcome before.
   */
  Sending send(Message message, Content content, Outcome.@Nullable Authorized authorized);
}
