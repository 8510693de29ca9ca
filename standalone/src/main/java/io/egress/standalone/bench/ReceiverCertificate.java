package io.egress.standalone.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A certificate for 127.0.0.1 that the JDK's own tool makes on the spot. */
record ReceiverCertificate(Path keyStore, Path pem) {
  static final String PASSWORD = "receiver";
  private static final String ALIAS = "receiver";

  static ReceiverCertificate make(Path folder) {
    Path keyStore = folder.resolve("receiver.p12");
    Path pem = folder.resolve("receiver.pem");
    keytool(
        keyStore,
        List.of(
            "-genkeypair",
            "-keyalg",
            "EC",
            "-groupname",
            "secp256r1",
            "-dname",
            "CN=egress bench receiver",
            "-ext",
            "SAN=ip:127.0.0.1,dns:localhost",
            "-validity",
            "30"));
    keytool(keyStore, List.of("-exportcert", "-rfc", "-file", pem.toString()));
    return new ReceiverCertificate(keyStore, pem);
  }

  private static void keytool(Path keyStore, List<String> arguments) {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    line.addAll(arguments);
    line.addAll(List.of("-alias", ALIAS, "-keystore", keyStore.toString()));
    line.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    try {
      Process tool = new ProcessBuilder(line).redirectErrorStream(true).start();
      String said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (tool.waitFor() != 0) {
        throw new IllegalStateException("keytool failed: " + said);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException("no keytool beside this java", failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", interrupted);
    }
  }
}
