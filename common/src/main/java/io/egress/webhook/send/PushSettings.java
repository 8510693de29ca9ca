package io.egress.webhook.send;

import io.egress.platform.environment.PemFile;
import io.egress.platform.environment.SettingsReader;
import io.egress.webhook.endpoint.AddressPolicy;
import io.egress.webhook.endpoint.CidrBlock;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.send.ForwardProxy.Direct;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which endpoints are allowed, how their signing secrets are encrypted, and the way to them.
 * Without a secret box there can be no endpoints; everything else works.
 */
public record PushSettings(
    @Nullable SecretBox secretBox,
    boolean allowHttpEndpoints,
    AddressPolicy addressPolicy,
    @Nullable ForwardProxy proxy,
    @Nullable ClientCertificate clientCertificate) {
  private static final String CERTIFICATE = "EGRESS_CLIENT_CERTIFICATE";
  private static final String KEY = "EGRESS_CLIENT_KEY";

  public static PushSettings read(SettingsReader reader) {
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
                CidrBlock::parseList),
            reader.parsed(
                "EGRESS_DENY_ENDPOINT_NETWORKS",
                "",
                "networks that are never called, public or not, such as the one of your own"
                    + " machines; goes before EGRESS_ALLOW_ENDPOINT_NETWORKS",
                CidrBlock::parseList)),
        proxy(reader),
        clientCertificate(reader));
  }

  private static @Nullable ClientCertificate clientCertificate(SettingsReader reader) {
    PemFile chain =
        reader.optional(
            CERTIFICATE,
            "PEM file of the certificate for receivers that request one, and of its chain",
            PemFile::certificates);
    PemFile key =
        reader.optional(
            KEY,
            "PEM file of the private key of EGRESS_CLIENT_CERTIFICATE, PKCS#8 and not encrypted",
            PemFile::pkcs8Key);
    reader.bothOrNeither(CERTIFICATE, KEY);
    if (chain == null || key == null) {
      return null;
    }
    try {
      return ClientCertificate.of(chain.text(), key.text(), Instant.now());
    } catch (IllegalArgumentException unusable) {
      reader.fault(
          "%s and %s: %s (%s, %s)"
              .formatted(CERTIFICATE, KEY, unusable.getMessage(), chain.path(), key.path()));
      return null;
    }
  }

  private static @Nullable ForwardProxy proxy(SettingsReader reader) {
    ForwardProxy proxy =
        reader.optional(
            "EGRESS_PROXY",
            "HTTP proxy through which webhooks and tests are sent, as http://user:password@host:port",
            ForwardProxy::parse);
    Direct direct =
        reader.optional(
            "EGRESS_NO_PROXY",
            "networks and host names that are reached without EGRESS_PROXY, such as"
                + " 10.0.0.0/8,partner.example",
            Direct::parse);
    if (proxy == null && reader.isGiven("EGRESS_NO_PROXY") && !reader.isGiven("EGRESS_PROXY")) {
      reader.fault("EGRESS_PROXY is required with EGRESS_NO_PROXY");
    }
    return proxy == null || direct == null ? proxy : proxy.except(direct);
  }
}
