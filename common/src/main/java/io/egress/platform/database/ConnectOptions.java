package io.egress.platform.database;

import io.egress.platform.environment.TlsFiles;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Objects;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.ssl.DefaultJavaSSLFactory;

/** Connection options of the same database for the two clients: the Vert.x pool and JDBC. */
final class ConnectOptions {
  private static final String CHECK_HOST = "HTTPS";
  private static final String CHECK_NO_HOST = "";

  /** The JDBC driver's name for it. */
  private static final String TAKES_WRITES = "primary";

  private ConnectOptions() {}

  static PgConnectOptions forPool(DatabaseUrl url, DatabaseUrl.Host host) {
    DatabaseTls tls = url.tls();
    ClientSSLOptions ssl =
        new ClientSSLOptions()
            .setHostnameVerificationAlgorithm(
                tls.mode() == DatabaseTls.Mode.VERIFY_FULL ? CHECK_HOST : CHECK_NO_HOST);
    if (!tls.mode().verifies()) {
      ssl.setTrustAll(true);
    } else if (tls.authorities() == null) {
      ssl.setTrustOptions(authoritiesOfTheJdk());
    } else {
      ssl.setTrustOptions(new PemTrustOptions().addCertPath(tls.authorities().toString()));
    }
    TlsFiles identity = tls.identity();
    if (identity != null) {
      ssl.setKeyCertOptions(
          new PemKeyCertOptions()
              .setCertPath(identity.certificate().toString())
              .setKeyPath(identity.key().toString()));
    }
    return new PgConnectOptions()
        .setHost(withoutBrackets(host.name()))
        .setPort(host.port())
        .setDatabase(url.database())
        .setUser(url.user())
        .setPassword(url.password())
        .setSslMode(SslMode.of(tls.mode().word()))
        .setSslOptions(ssl);
  }

  static PGSimpleDataSource forJdbc(DatabaseUrl url) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setServerNames(url.hosts().stream().map(DatabaseUrl.Host::name).toArray(String[]::new));
    source.setPortNumbers(url.hosts().stream().mapToInt(DatabaseUrl.Host::port).toArray());
    source.setTargetServerType(TAKES_WRITES);
    source.setConnectTimeout((int) url.connectTimeout().toSeconds());
    source.setDatabaseName(url.database());
    source.setUser(url.user());
    source.setPassword(url.password());
    // A pooler would lose statements that live longer than a transaction.
    source.setPrepareThreshold(0);
    DatabaseTls tls = url.tls();
    source.setSslMode(tls.mode().word());
    if (tls.authorities() != null) {
      source.setSslRootCert(tls.authorities().toString());
    } else if (tls.mode().verifies()) {
      source.setSslfactory(DefaultJavaSSLFactory.class.getName());
    }
    TlsFiles identity = tls.identity();
    if (identity != null) {
      source.setSslCert(identity.certificate().toString());
      source.setSslKey(identity.key().toString());
      source.setPemKeyAlgorithm(keyAlgorithm(identity));
    }
    return source;
  }

  /** The driver assumes RSA unless the key type is set. */
  private static String keyAlgorithm(TlsFiles identity) {
    try (InputStream certificate = Files.newInputStream(identity.certificate())) {
      return CertificateFactory.getInstance("X.509")
          .generateCertificate(certificate)
          .getPublicKey()
          .getAlgorithm();
    } catch (IOException | CertificateException changedSinceTheStart) {
      throw new IllegalStateException(
          identity.certificate() + " contains no certificate any more", changedSinceTheStart);
    }
  }

  private static String withoutBrackets(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private static TrustOptions authoritiesOfTheJdk() {
    try {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init((@Nullable KeyStore) null);
      return TrustOptions.wrap(Objects.requireNonNull(factory.getTrustManagers()[0]));
    } catch (GeneralSecurityException everyJdkHasThem) {
      throw new IllegalStateException(everyJdkHasThem);
    }
  }
}
