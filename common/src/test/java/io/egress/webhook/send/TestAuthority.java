package io.egress.webhook.send;

import io.egress.testing.CertificateAuthority;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.nio.file.Path;

/** A generated certificate authority, with its certificates as Vert.x options. */
public final class TestAuthority {
  private final CertificateAuthority authority = new CertificateAuthority();

  /** For host names, or IP addresses. */
  public PemKeyCertOptions issueFor(String... names) {
    return options(authority.issueFor(names));
  }

  public PemKeyCertOptions issueExpired(String... names) {
    return options(authority.issueExpired(names));
  }

  public Path writePem(Path folder) {
    return authority.writePem(folder);
  }

  private static PemKeyCertOptions options(CertificateAuthority.Issued issued) {
    return new PemKeyCertOptions()
        .addCertValue(Buffer.buffer(issued.certificate()))
        .addKeyValue(Buffer.buffer(issued.key()));
  }
}
