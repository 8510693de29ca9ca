package io.egress.cli;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The client certificate of an endpoint, from PEM files. */
final class CertificateOptions {
  private static final String FIELD = "client_certificate";
  private static final String NONE = "none";

  @Option(
      names = "--client-certificate",
      paramLabel = "FILE",
      description =
          "PEM file of the certificate and its chain for a receiver that requests one, or none")
  private @Nullable String certificate;

  @Option(
      names = "--client-key",
      paramLabel = "FILE",
      description = "PEM file of its private key, PKCS#8 and not encrypted")
  private @Nullable String key;

  void putInto(JsonObject endpoint) {
    if (NONE.equals(certificate) && key == null) {
      endpoint.putNull(FIELD);
    } else if (certificate != null && key != null) {
      endpoint.put(
          FIELD,
          new JsonObject()
              .put("certificate", SecretText.contents(certificate))
              .put("key", SecretText.contents(key)));
    } else if (certificate != null || key != null) {
      throw new UsageException("--client-certificate and --client-key go together");
    }
  }
}
