package io.egress.send;

import static java.util.Objects.requireNonNull;

import io.egress.endpoint.CustomHeaders;
import io.egress.endpoint.EndpointUrl;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What to send where. The endpoint's id names the event loop that sends to it.
 *
 * @param signature of this endpoint, whose event loop is the only one to use it
 * @param unixSeconds when the attempt began
 * @param traceparent a header for receivers that follow traces
 */
public record SendRequest(
    UUID endpointId,
    EndpointUrl url,
    Envelope envelope,
    WebhookSignature signature,
    CustomHeaders headers,
    long unixSeconds,
    @Nullable String traceparent) {
  public SendRequest {
    requireNonNull(endpointId, "endpointId is null");
    requireNonNull(url, "url is null");
    requireNonNull(envelope, "envelope is null");
    requireNonNull(signature, "signature is null");
    requireNonNull(headers, "headers is null");
  }

  /** Without headers of the endpoint's own, and not traced. */
  public SendRequest(
      UUID endpointId,
      EndpointUrl url,
      Envelope envelope,
      WebhookSignature signature,
      long unixSeconds) {
    this(endpointId, url, envelope, signature, CustomHeaders.NONE, unixSeconds, null);
  }

  /** To be called on the event loop that sends. */
  String sign() {
    return signature.sign(unixSeconds, envelope);
  }
}
