package io.egress.webhook.endpoint;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint to be created.
 *
 * @param stream null unless it is sent the stream itself
 * @param paused whether nothing is sent before it is resumed, its history neither
 */
public record NewEndpoint(
    EndpointSpec spec,
    Start start,
    boolean paused,
    CustomHeaders headers,
    @Nullable ClientCertificate clientCertificate,
    @Nullable OAuth2Client oauth2,
    Paging.@Nullable Wanted stream) {
  /**
   * Where what it is sent begins: now, unless something else is said.
   *
   * @param from when what it is sent entered the stream at the earliest; null for now, or for the
   *     beginning
   */
  public record Start(boolean fullHistory, @Nullable Instant from) {
    public static Start of(boolean fullHistory) {
      return new Start(fullHistory, null);
    }
  }

  public NewEndpoint(
      EndpointSpec spec,
      boolean fullHistory,
      boolean paused,
      CustomHeaders headers,
      @Nullable ClientCertificate clientCertificate,
      @Nullable OAuth2Client oauth2) {
    this(spec, Start.of(fullHistory), paused, headers, clientCertificate, oauth2, null);
  }

  public NewEndpoint(EndpointSpec spec, boolean fullHistory) {
    this(spec, Start.of(fullHistory), false, CustomHeaders.NONE, null, null, null);
  }

  /** One that is sent the stream itself. */
  public static NewEndpoint stream(EndpointSpec spec, boolean fullHistory, Paging.Wanted stream) {
    return new NewEndpoint(
        spec, Start.of(fullHistory), false, CustomHeaders.NONE, null, null, stream);
  }
}
