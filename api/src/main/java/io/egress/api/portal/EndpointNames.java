package io.egress.api.portal;

import io.egress.endpoint.Endpoint;
import java.net.URI;

/** Display names of endpoints. */
final class EndpointNames {
  private EndpointNames() {}

  /** Its description, or its URL. */
  static String of(Endpoint endpoint) {
    String description = endpoint.description();
    if (description != null && !description.isBlank()) {
      return description;
    }
    URI url = URI.create(endpoint.url());
    return url.getAuthority() + url.getPath();
  }
}
