package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import io.egress.endpoint.Endpoint;

/** An endpoint with how it does. */
public record EndpointDetail(Endpoint endpoint, Overview.EndpointCard card) {
  public EndpointDetail {
    requireNonNull(endpoint, "endpoint is null");
    requireNonNull(card, "card is null");
  }
}
