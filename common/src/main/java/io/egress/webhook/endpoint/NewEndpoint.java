package io.egress.webhook.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * An endpoint to be created.
 *
 * @param stream null unless it is sent the stream itself
 * @param paused whether nothing is sent before it is resumed, its history neither
 */
public record NewEndpoint(
    EndpointSpec spec,
    boolean fullHistory,
    boolean paused,
    CustomHeaders headers,
    @Nullable ClientCertificate clientCertificate,
    @Nullable OAuth2Client oauth2,
    Paging.@Nullable Wanted stream) {
  public NewEndpoint(
      EndpointSpec spec,
      boolean fullHistory,
      boolean paused,
      CustomHeaders headers,
      @Nullable ClientCertificate clientCertificate,
      @Nullable OAuth2Client oauth2) {
    this(spec, fullHistory, paused, headers, clientCertificate, oauth2, null);
  }

  public NewEndpoint(EndpointSpec spec, boolean fullHistory) {
    this(spec, fullHistory, false, CustomHeaders.NONE, null, null);
  }

  /** One that is sent the stream itself. */
  public static NewEndpoint stream(EndpointSpec spec, boolean fullHistory, Paging.Wanted stream) {
    return new NewEndpoint(spec, fullHistory, false, CustomHeaders.NONE, null, null, stream);
  }
}
