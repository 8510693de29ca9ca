package io.egress.platform.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.egress.platform.environment.TlsFiles;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;

/** A certificate chain and its key, as read from their files at one moment. */
record ServerCertificate(Buffer chain, Buffer key) {
  private static final Map<String, String> SIGNATURES =
      Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");
  private static final byte[] SAMPLE = "do these two belong together?".getBytes(US_ASCII);

  /** The content of the files cannot be served. */
  static final class Unusable extends Exception {
    private static final long serialVersionUID = 1L;

    Unusable(TlsFiles files, String reason) {
      super("%s and %s %s".formatted(files.certificate(), files.key(), reason));
    }
  }

  static ServerCertificate read(TlsFiles files) throws Unusable {
    try {
      return new ServerCertificate(
          Buffer.buffer(Files.readAllBytes(files.certificate())),
          Buffer.buffer(Files.readAllBytes(files.key())));
    } catch (IOException unreadable) {
      throw new Unusable(files, "cannot be read: " + unreadable);
    }
  }

  PemKeyCertOptions options() {
    return new PemKeyCertOptions().addCertValue(chain).addKeyValue(key);
  }

  /** Neither the JDK nor Vert.x would notice before a client does. */
  X509Certificate requireUsable(Vertx vertx, TlsFiles files) throws Unusable {
    try {
      for (KeyManager each : options().getKeyManagerFactory(vertx).getKeyManagers()) {
        if (each instanceof X509KeyManager manager) {
          return requirePair(manager, files);
        }
      }
    } catch (Unusable fault) {
      throw fault;
    } catch (Exception unreadable) {
      throw new Unusable(files, "are no certificate and key: " + unreadable.getMessage());
    }
    throw new Unusable(files, "hold no certificate");
  }

  private static X509Certificate requirePair(X509KeyManager manager, TlsFiles files)
      throws Unusable, GeneralSecurityException {
    for (Map.Entry<String, String> type : SIGNATURES.entrySet()) {
      String[] aliases = manager.getServerAliases(type.getKey(), null);
      if (aliases != null && aliases.length > 0) {
        X509Certificate certificate = manager.getCertificateChain(aliases[0])[0];
        if (belongTogether(certificate, manager.getPrivateKey(aliases[0]), type.getValue())) {
          return certificate;
        }
        throw new Unusable(files, "do not belong together");
      }
    }
    throw new Unusable(files, "must hold a key of one of the kinds " + SIGNATURES.keySet());
  }

  private static boolean belongTogether(X509Certificate certificate, PrivateKey key, String how)
      throws GeneralSecurityException {
    if (!certificate.getPublicKey().getAlgorithm().equals(key.getAlgorithm())) {
      return false;
    }
    Signature signing = Signature.getInstance(how);
    signing.initSign(key);
    signing.update(SAMPLE);
    byte[] signed = signing.sign();
    Signature verifying = Signature.getInstance(how);
    verifying.initVerify(certificate.getPublicKey());
    verifying.update(SAMPLE);
    return verifying.verify(signed);
  }
}
