package io.egress.webhook.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * An endpoint to be created.
 *
 * @param paused whether nothing is sent before it is resumed, its history neither
 */
public record NewEndpoint(
    EndpointSpec spec,
    boolean fullHistory,
    boolean paused,
    CustomHeaders headers,
    @Nullable ClientCertificate clientCertificate,
    @Nullable OAuth2Client oauth2) {
  public NewEndpoint(EndpointSpec spec, boolean fullHistory) {
    this(spec, fullHistory, false, CustomHeaders.NONE, null, null);
  }
}
