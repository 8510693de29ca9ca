package io.egress.platform.environment;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** PEM files of a certificate chain and its key, which may be replaced at any time. */
public record TlsFiles(Path certificate, Path key) {
  public static @Nullable TlsFiles read(SettingsReader reader) {
    PemFile certificate =
        reader.optional(
            "EGRESS_TLS_CERTIFICATE",
            "PEM file of the public listener's certificate and its chain; without it the listener"
                + " serves plain HTTP",
            PemFile::certificates);
    PemFile key =
        reader.optional(
            "EGRESS_TLS_KEY",
            "PEM file of the private key of EGRESS_TLS_CERTIFICATE",
            PemFile::key);
    reader.bothOrNeither("EGRESS_TLS_CERTIFICATE", "EGRESS_TLS_KEY");
    return certificate == null || key == null ? null : new TlsFiles(certificate.path(), key.path());
  }
}
