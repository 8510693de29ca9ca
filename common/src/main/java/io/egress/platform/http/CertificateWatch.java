package io.egress.platform.http;

import io.egress.platform.environment.TlsFiles;
import io.egress.platform.lifecycle.Recurring;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.PemKeyCertOptions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the files of a certificate and serves a changed one to new connections as soon as it is
 * valid; until then the current one stays. Contents are compared, not modification times, because
 * mounted secrets are replaced through a symbolic link.
 */
final class CertificateWatch {
  private static final Logger log = LoggerFactory.getLogger(CertificateWatch.class);
  private static final Duration PERIOD = Duration.ofSeconds(2);

  private final Vertx vertx;
  private final TlsFiles files;
  private final Function<PemKeyCertOptions, Future<Void>> serve;
  private final Recurring looking;
  private ServerCertificate served;
  private @Nullable String refused;

  private CertificateWatch(
      Vertx vertx,
      TlsFiles files,
      ServerCertificate served,
      Function<PemKeyCertOptions, Future<Void>> serve) {
    this.vertx = vertx;
    this.files = files;
    this.served = served;
    this.serve = serve;
    this.looking =
        new Recurring(vertx, "watching " + files.certificate(), this::look)
            .onFailure(this::logFailure)
            .every(PERIOD);
  }

  /** Loads the current content of the files; fails if it cannot be served. */
  static Future<ServerCertificate> load(Vertx vertx, TlsFiles files) {
    return vertx.executeBlocking(
        () -> {
          ServerCertificate certificate = ServerCertificate.read(files);
          certificate.requireUsable(vertx, files);
          return certificate;
        },
        false);
  }

  /** {@code serve} is called with each new certificate. */
  static CertificateWatch start(
      Vertx vertx,
      TlsFiles files,
      ServerCertificate served,
      Function<PemKeyCertOptions, Future<Void>> serve) {
    return new CertificateWatch(vertx, files, served, serve);
  }

  void close() {
    looking.close();
  }

  private void look() throws ServerCertificate.Unusable {
    ServerCertificate found = ServerCertificate.read(files);
    if (!found.equals(served)) {
      exchange(found);
    }
    refused = null;
  }

  private void exchange(ServerCertificate found) throws ServerCertificate.Unusable {
    X509Certificate certificate = found.requireUsable(vertx, files);
    serve.apply(found.options()).await();
    served = found;
    log.info("Serving a new certificate, valid until {}", certificate.getNotAfter().toInstant());
  }

  private void logFailure(Throwable failure) {
    String reason = String.valueOf(failure.getMessage());
    if (!reason.equals(refused)) {
      refused = reason;
      log.warn("Cannot load the new certificate; keeping the current one: {}", reason);
    }
  }
}
