package io.egress.endpoint;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/** What an endpoint is created from. The URL is one that was judged. */
public record NewEndpoint(String url, @Nullable String description, boolean fullHistory) {
  public NewEndpoint {
    requireNonNull(url, "url is null");
  }
}
