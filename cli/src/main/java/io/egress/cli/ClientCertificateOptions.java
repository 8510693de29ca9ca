package io.egress.cli;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The client certificate of an endpoint, from PEM files. */
final class ClientCertificateOptions {
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
          FIELD, new JsonObject().put("certificate", read(certificate)).put("key", read(key)));
    } else if (certificate != null || key != null) {
      throw new IllegalStateException("--client-certificate and --client-key go together");
    }
  }

  private static String read(String file) {
    try {
      return Files.readString(Path.of(file));
    } catch (IOException unreadable) {
      throw new IllegalStateException("cannot read " + file, unreadable);
    }
  }
}
