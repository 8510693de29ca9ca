package io.egress.webhook.endpoint;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * An endpoint to be created. Its URL has been checked.
 *
 * @param standardWebhooks whether its webhooks carry the headers of Standard Webhooks, too
 * @param erasures whether it subscribes to capture.erased
 */
public record NewEndpoint(
    String url,
    @Nullable String description,
    boolean fullHistory,
    CustomHeaders headers,
    EndpointLimits limits,
    @Nullable ClientCertificate clientCertificate,
    boolean standardWebhooks,
    boolean erasures) {
  public NewEndpoint {
    requireNonNull(url, "url is null");
    requireNonNull(headers, "headers is null");
    requireNonNull(limits, "limits is null");
  }

  public NewEndpoint(String url, @Nullable String description, boolean fullHistory) {
    this(
        url, description, fullHistory, CustomHeaders.NONE, EndpointLimits.NONE, null, false, false);
  }
}
