package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import io.egress.endpoint.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint with how it does.
 *
 * @param tested what became of a test, null where none was asked for
 */
public record EndpointDetail(
    Endpoint endpoint, Overview.EndpointCard card, @Nullable AttemptRow tested) {
  public EndpointDetail {
    requireNonNull(endpoint, "endpoint is null");
    requireNonNull(card, "card is null");
  }
}
