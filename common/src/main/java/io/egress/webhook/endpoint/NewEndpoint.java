package io.egress.webhook.endpoint;

import org.jspecify.annotations.Nullable;

/** An endpoint to be created. */
public record NewEndpoint(
    EndpointSpec spec,
    boolean fullHistory,
    CustomHeaders headers,
    @Nullable ClientCertificate clientCertificate,
    @Nullable OAuth2Client oauth2) {
  public NewEndpoint(EndpointSpec spec, boolean fullHistory) {
    this(spec, fullHistory, CustomHeaders.NONE, null, null);
  }
}
