package io.egress.api.portal;

import io.egress.webhook.endpoint.Endpoint;
import java.net.URI;

/** Display names of endpoints. */
final class EndpointNames {
  static final String DELETED = "deleted endpoint";

  private EndpointNames() {}

  /** The endpoint's description, or its URL if it has none. */
  static String of(Endpoint endpoint) {
    String description = endpoint.description();
    if (description != null && !description.isBlank()) {
      return description;
    }
    URI url = URI.create(endpoint.url());
    return url.getAuthority() + url.getPath();
  }
}
