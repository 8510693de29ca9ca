package io.egress.webhook.endpoint;

import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A change of an endpoint.
 *
 * @param spec applied to what the endpoint is when it is locked
 * @param paused null if unchanged
 * @param headers null if unchanged
 * @param certificate null if unchanged
 * @param oauth2 null if unchanged
 * @param filters whether it may change the filter, which holds for what enters the stream from then
 *     on
 */
public record EndpointChange(
    UnaryOperator<EndpointSpec> spec,
    @Nullable Boolean paused,
    @Nullable HeaderChange headers,
    @Nullable CertificateChange certificate,
    @Nullable OAuth2Change oauth2,
    boolean filters) {
  /**
   * A change of headers.
   *
   * @param clears whether existing headers are removed
   * @param values keyed by lower-case name; an empty value removes its header
   */
  public record HeaderChange(boolean clears, Map<String, Optional<String>> values) {
    public HeaderChange {
      values = Map.copyOf(values);
    }
  }

  /** {@code certificate} is null to remove it. */
  public record CertificateChange(@Nullable ClientCertificate certificate) {}

  /** {@code client} is null to remove it. */
  public record OAuth2Change(@Nullable OAuth2Client client) {}

  /**
   * The same change of {@code before}, without the secrets of its receiver if the URL leads to
   * another one: what the change does not give is removed.
   */
  public EndpointChange withoutSecretsOfAnother(Endpoint before) {
    if (EndpointUrl.leadToOneReceiver(before.url(), spec.apply(before.spec()).url())) {
      return this;
    }
    return new EndpointChange(
        spec,
        paused,
        before.headers().isEmpty()
            ? headers
            : new HeaderChange(true, headers == null ? Map.of() : headers.values()),
        certificate == null && before.clientCertificate() != null
            ? new CertificateChange(null)
            : certificate,
        oauth2 == null && before.oauth2() != null ? new OAuth2Change(null) : oauth2,
        filters);
  }

  public static EndpointChange of(UnaryOperator<EndpointSpec> spec) {
    return new EndpointChange(spec, null, null, null, null, false);
  }

  public static EndpointChange pausing(boolean paused) {
    return new EndpointChange(UnaryOperator.identity(), paused, null, null, null, false);
  }
}
