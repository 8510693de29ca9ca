package io.egress.platform.environment;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;

/** A PEM file, with its content at startup. */
public record PemFile(Path path, String text) {
  private static final String PKCS8 = "-----BEGIN PRIVATE KEY-----";
  private static final String ANY_KEY = "PRIVATE KEY-----";

  public static PemFile certificates(String path) {
    PemFile file = read(path);
    try {
      if (!CertificateFactory.getInstance("X.509")
          .generateCertificates(
              new ByteArrayInputStream(file.text().getBytes(StandardCharsets.UTF_8)))
          .isEmpty()) {
        return file;
      }
    } catch (CertificateException unreadable) {
      throw new IllegalArgumentException(
          path + " contains an invalid certificate: " + unreadable.getMessage(), unreadable);
    }
    throw new IllegalArgumentException(path + " contains no certificate in PEM format");
  }

  /** The only format that Kafka's and PostgreSQL's clients both read. */
  public static PemFile pkcs8Key(String path) {
    PemFile file = read(path);
    if (!file.text().contains(PKCS8)) {
      throw new IllegalArgumentException(
          path + " must hold an unencrypted key in PKCS#8 form (" + PKCS8 + ")");
    }
    return file;
  }

  public static PemFile key(String path) {
    PemFile file = read(path);
    if (!file.text().contains(ANY_KEY)) {
      throw new IllegalArgumentException(path + " contains no private key in PEM format");
    }
    return file;
  }

  /** The text may be a key. */
  @Override
  public String toString() {
    return path.toString();
  }

  private static PemFile read(String path) {
    try {
      Path file = Path.of(path);
      return new PemFile(file, Files.readString(file));
    } catch (NoSuchFileException missing) {
      throw new IllegalArgumentException(path + " is not there", missing);
    } catch (IOException | InvalidPathException unreadable) {
      throw new IllegalArgumentException(path + " cannot be read: " + unreadable, unreadable);
    }
  }
}
