package io.egress.dispatcher.send;

import static java.util.Objects.requireNonNull;

import io.egress.endpoint.EndpointUrl;
import java.util.UUID;

/** What to send where. The endpoint's id names the pool of connections that only it uses. */
public record SendRequest(UUID endpointId, EndpointUrl url, Envelope envelope, String signature) {
  public SendRequest {
    requireNonNull(endpointId, "endpointId is null");
    requireNonNull(url, "url is null");
    requireNonNull(envelope, "envelope is null");
    requireNonNull(signature, "signature is null");
  }
}
