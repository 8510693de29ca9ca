package io.egress.webhook.send;

import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.EndpointUrl;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A webhook to send. The endpoint's id selects the event loop.
 *
 * @param signature of this endpoint; used only by its event loop
 * @param certificate null for that of the sender, if it has one
 * @param unixSeconds the start of the attempt
 * @param traceparent the header for receivers that continue traces
 */
public record SendRequest(
    UUID endpointId,
    EndpointUrl url,
    Envelope envelope,
    CaptureState capture,
    WebhookSignature signature,
    CustomHeaders headers,
    @Nullable ClientCertificate certificate,
    long unixSeconds,
    @Nullable String traceparent) {
  /** A test, without custom headers and a certificate, and not traced. */
  public SendRequest(
      UUID endpointId,
      EndpointUrl url,
      Envelope envelope,
      WebhookSignature signature,
      long unixSeconds) {
    this(
        endpointId,
        url,
        envelope,
        CaptureState.ofTest(envelope.deliveryId()),
        signature,
        CustomHeaders.NONE,
        null,
        unixSeconds,
        null);
  }

  /** To be called on the event loop that sends. */
  String sign() {
    return signature.sign(unixSeconds, envelope);
  }

  /** The same, for {@code webhook-signature}. */
  String signByStandard() {
    return signature.signByStandard(unixSeconds, envelope);
  }
}
