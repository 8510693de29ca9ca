package io.egress.webhook.endpoint;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.egress.webhook.delivery.Owed;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint without its secrets.
 *
 * @param headers the names of its headers
 * @param clientCertificate null if it has none of its own
 * @param oauth2 null if its webhooks carry no access tokens
 * @param pausedReason {@code requested} or {@code failing}; null unless it is paused
 * @param previousSecretUntil null unless two secrets sign now
 * @param fullHistory whether it is sent the stream from its beginning
 * @param createdPosition the position after which what it is sent begins, unless that is the
 *     beginning
 * @param publicKeys those that verify its webhooks, newest first, if they are signed by Ed25519
 */
public record Endpoint(
    UUID id,
    @JsonUnwrapped EndpointSpec spec,
    @JsonUnwrapped Paging paging,
    boolean fullHistory,
    List<String> headers,
    ClientCertificate.@Nullable Shown clientCertificate,
    OAuth2Client.@Nullable Shown oauth2,
    boolean paused,
    @Nullable Instant pausedAt,
    @Nullable String pausedReason,
    long createdPosition,
    Instant createdAt,
    @Nullable Instant previousSecretUntil,
    List<SigningKey> publicKeys,
    @JsonIgnore Owed owed) {
  public Endpoint {
    headers = List.copyOf(headers);
    publicKeys = List.copyOf(publicKeys);
  }

  public List<Owed.HeldFilter> filters() {
    return owed.filters();
  }

  /** Of those that are sent the stream itself. */
  public static UUID[] idsOfStreams(Collection<Endpoint> endpoints) {
    return endpoints.stream()
        .filter(endpoint -> endpoint.paging.isStream())
        .map(Endpoint::id)
        .toArray(UUID[]::new);
  }

  public String url() {
    return spec.url();
  }

  public @Nullable String description() {
    return spec.description();
  }
}
