package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import io.egress.webhook.endpoint.Endpoint;

/** An endpoint in a list. */
public record EndpointRow(Endpoint endpoint, EndpointStatus status) {
  public EndpointRow {
    requireNonNull(endpoint, "endpoint is null");
    requireNonNull(status, "status is null");
  }
}
