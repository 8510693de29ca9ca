package io.egress.standalone.receiver;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;

/**
 * A self-signed certificate for localhost, made by the JDK's keytool in a temporary folder. Clients
 * trust it through the PEM file.
 */
public final class LocalCertificate implements AutoCloseable {
  private static final String ALIAS = "receiver";
  private static final String PASSWORD_VARIABLE = "STORE_PASSWORD";
  private static final String VALIDITY_DAYS = "30";

  private final Path folder;
  private final Path keyStore;
  private final Path pem;
  private final String password = UUID.randomUUID().toString();

  private LocalCertificate(Path folder) {
    this.folder = folder;
    this.keyStore = folder.resolve("receiver.p12");
    this.pem = folder.resolve("receiver.pem");
  }

  /** Blocks, so it must not be called on an event loop. */
  public static LocalCertificate make() {
    try {
      LocalCertificate made = new LocalCertificate(Files.createTempDirectory("egress-receiver-"));
      try {
        made.generate();
        return made;
      } catch (IOException | RuntimeException failure) {
        made.close();
        throw failure;
      }
    } catch (IOException failure) {
      throw new UncheckedIOException("a certificate could not be made", failure);
    }
  }

  public Path pem() {
    return pem;
  }

  public KeyCertOptions keyCertOptions() {
    return new PfxOptions().setPath(keyStore.toString()).setPassword(password);
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(pem);
    Files.deleteIfExists(keyStore);
    Files.deleteIfExists(folder);
  }

  private void generate() throws IOException {
    keytool(
        "-genkeypair",
        "-keyalg",
        "EC",
        "-groupname",
        "secp256r1",
        "-dname",
        "CN=localhost",
        "-ext",
        "SAN=dns:localhost,ip:127.0.0.1",
        "-validity",
        VALIDITY_DAYS);
    Files.writeString(
        pem,
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(encoded())
            + "\n-----END CERTIFICATE-----\n");
  }

  private byte[] encoded() throws IOException {
    try {
      return KeyStore.getInstance(keyStore.toFile(), password.toCharArray())
          .getCertificate(ALIAS)
          .getEncoded();
    } catch (GeneralSecurityException failure) {
      throw new IOException("what keytool made cannot be read", failure);
    }
  }

  private void keytool(String... arguments) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    line.addAll(List.of(arguments));
    line.addAll(List.of("-alias", ALIAS, "-storetype", "PKCS12"));
    line.addAll(List.of("-keystore", keyStore.toString()));
    line.addAll(List.of("-storepass:env", PASSWORD_VARIABLE));
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().put(PASSWORD_VARIABLE, password);
    Process tool = builder.start();
    String output = new String(tool.getInputStream().readAllBytes(), UTF_8);
    try {
      if (tool.waitFor() != 0) {
        throw new IOException("keytool failed: " + output.strip());
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while keytool ran", interrupted);
    }
  }
}
