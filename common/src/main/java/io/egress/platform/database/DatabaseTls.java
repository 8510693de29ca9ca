package io.egress.platform.database;

import io.egress.platform.environment.PemFile;
import io.egress.platform.environment.TlsFiles;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * TLS of connections to PostgreSQL, with libpq's semantics.
 *
 * @param authorities a PEM file; if null, the JDK's authorities in verifying modes, otherwise none
 * @param identity the client certificate
 */
public record DatabaseTls(Mode mode, @Nullable Path authorities, @Nullable TlsFiles identity) {
  private static final String SYSTEM = "system";

  /** Named as in libpq. */
  public enum Mode {
    DISABLE("disable"),
    PREFER("prefer"),
    REQUIRE("require"),
    VERIFY_CA("verify-ca"),
    VERIFY_FULL("verify-full");

    private final String word;

    Mode(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }

    public boolean verifies() {
      return this == VERIFY_CA || this == VERIFY_FULL;
    }

    private static Mode parse(String text) {
      return Arrays.stream(values())
          .filter(mode -> mode.word.equals(text))
          .findFirst()
          .orElseThrow(() ->
              new IllegalArgumentException(
                  "has an sslmode that is none of disable, prefer, require, verify-ca and"
                      + " verify-full: "
                      + text));
    }
  }

  static DatabaseTls of(Map<String, String> parameters) {
    Map<String, String> left = new HashMap<>(parameters);
    String modeWord = left.remove("sslmode");
    Mode mode = modeWord == null ? Mode.DISABLE : Mode.parse(modeWord);
    String root = left.remove("sslrootcert");
    String certificate = left.remove("sslcert");
    String key = left.remove("sslkey");
    if (!left.isEmpty()) {
      throw new IllegalArgumentException(
          "has unknown parameters: " + String.join(", ", left.keySet()));
    }
    if (mode == Mode.DISABLE && (root != null || certificate != null || key != null)) {
      throw new IllegalArgumentException("has certificates, which sslmode=disable does not use");
    }
    return new DatabaseTls(
        mode == Mode.REQUIRE && root != null ? Mode.VERIFY_CA : mode,
        authorities(mode, root),
        identity(certificate, key));
  }

  /** As in libpq: any server could have a certificate of a public authority. */
  private static @Nullable Path authorities(Mode mode, @Nullable String root) {
    if (root == null) {
      if (mode.verifies()) {
        throw new IllegalArgumentException(
            "needs sslrootcert with sslmode=%s: a PEM file, or system".formatted(mode.word()));
      }
      return null;
    }
    if (root.equals(SYSTEM)) {
      if (mode != Mode.VERIFY_FULL) {
        throw new IllegalArgumentException("needs sslmode=verify-full with sslrootcert=system");
      }
      return null;
    }
    if (mode == Mode.PREFER) {
      throw new IllegalArgumentException("has an sslrootcert, which sslmode=prefer does not use");
    }
    return ofParameter("sslrootcert", () -> PemFile.certificates(root));
  }

  private static @Nullable TlsFiles identity(@Nullable String certificate, @Nullable String key) {
    if (certificate == null && key == null) {
      return null;
    }
    if (certificate == null || key == null) {
      throw new IllegalArgumentException("needs sslcert and sslkey both, or neither");
    }
    return new TlsFiles(
        ofParameter("sslcert", () -> PemFile.certificates(certificate)),
        ofParameter("sslkey", () -> PemFile.pkcs8Key(key)));
  }

  private static Path ofParameter(String parameter, Supplier<PemFile> file) {
    try {
      return file.get().path();
    } catch (IllegalArgumentException unusable) {
      throw new IllegalArgumentException(
          "has an unusable " + parameter + ": " + unusable.getMessage(), unusable);
    }
  }
}
