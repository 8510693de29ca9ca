package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import io.egress.webhook.endpoint.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint and its health.
 *
 * @param tested the outcome of a test, null if none was sent
 */
public record EndpointDetail(
    Endpoint endpoint, Overview.EndpointCard card, @Nullable AttemptRow tested) {
  public EndpointDetail {
    requireNonNull(endpoint, "endpoint is null");
    requireNonNull(card, "card is null");
  }
}
