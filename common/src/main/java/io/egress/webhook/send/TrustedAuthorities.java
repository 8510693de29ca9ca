package io.egress.webhook.send;

import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The authorities trusted to issue receivers' certificates: the JDK's and those of {@code
 * EGRESS_EXTRA_TRUST}, combined into one set of anchors, so that a chain is validated once by the
 * usual rules.
 */
public final class TrustedAuthorities {
  private TrustedAuthorities() {}

  /**
   * Reads files; not for an event loop. Throws {@link IllegalArgumentException} that says what is
   * wrong with the PEM file.
   */
  public static TrustOptions load(@Nullable Path extraPem) {
    try {
      KeyStore anchors = KeyStore.getInstance(KeyStore.getDefaultType());
      anchors.load(null, null);
      for (TrustManager manager : factory(null).getTrustManagers()) {
        if (manager instanceof X509TrustManager x509) {
          for (X509Certificate authority : x509.getAcceptedIssuers()) {
            add(anchors, authority);
          }
        }
      }
      if (extraPem != null) {
        for (Certificate authority : read(extraPem)) {
          add(anchors, authority);
        }
      }
      return TrustOptions.wrap(factory(anchors));
    } catch (GeneralSecurityException | IOException fault) {
      throw new IllegalStateException("the JDK's trust store cannot be read", fault);
    }
  }

  private static Collection<? extends Certificate> read(Path pem) {
    try (InputStream in = Files.newInputStream(pem)) {
      var certificates = CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (certificates.isEmpty()) {
        throw new IllegalArgumentException(pem + " holds no certificate");
      }
      return certificates;
    } catch (IOException fault) {
      throw new IllegalArgumentException(pem + " cannot be read", fault);
    } catch (CertificateException fault) {
      throw new IllegalArgumentException(pem + " is not a PEM file of certificates", fault);
    }
  }

  private static void add(KeyStore anchors, Certificate authority) throws GeneralSecurityException {
    anchors.setCertificateEntry(Integer.toString(anchors.size()), authority);
  }

  private static TrustManagerFactory factory(@Nullable KeyStore anchors)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(anchors);
    return factory;
  }
}
