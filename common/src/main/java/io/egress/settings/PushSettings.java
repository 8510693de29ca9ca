package io.egress.settings;

import static java.util.Objects.requireNonNull;

import io.egress.endpoint.AddressPolicy;
import io.egress.endpoint.CidrBlock;
import io.egress.endpoint.SecretBox;
import org.jspecify.annotations.Nullable;

/**
 * Which endpoints are allowed, and how their signing secrets are encrypted. Without a secret box
 * there can be no endpoints; everything else works.
 */
public record PushSettings(
    @Nullable SecretBox secretBox, boolean allowHttpEndpoints, AddressPolicy addressPolicy) {
  public PushSettings {
    requireNonNull(addressPolicy, "addressPolicy is null");
  }

  static PushSettings read(SettingsReader reader) {
    return new PushSettings(
        reader.optional(
            "EGRESS_SECRET_KEY",
            "32 bytes in base64 that encrypt the endpoints' signing secrets at rest; several,"
                + " comma-separated, to rotate: the first encrypts, all decrypt",
            SecretBox::parse),
        reader.flag(
            "EGRESS_ALLOW_HTTP_ENDPOINTS",
            false,
            "whether endpoints may use plain http, for tests only"),
        new AddressPolicy(
            reader.parsed(
                "EGRESS_ALLOW_ENDPOINT_NETWORKS",
                "",
                "non-public networks that endpoints may be in, such as" + " 10.0.0.0/8,fd00::/8",
                CidrBlock::parseList)));
  }
}
