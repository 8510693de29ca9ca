package io.egress.dispatcher.send;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** An authority made on the spot that issues whatever certificate a test asks for. */
public final class TestAuthority {
  private static final Duration DAY = Duration.ofDays(1);
  private final X500Name issuer = new X500Name("CN=Test Authority " + UUID.randomUUID());
  private final KeyPair keys = newKeys();
  private final X509CertificateHolder certificate;

  public TestAuthority() {
    certificate = issue(issuer, keys, Instant.now().plus(DAY), true);
  }

  /** For names, or for addresses where a name looks like one. */
  public PemKeyCertOptions issueFor(String... names) {
    return issue(Instant.now().plus(DAY), names);
  }

  public PemKeyCertOptions issueExpired(String... names) {
    return issue(Instant.now().minus(Duration.ofHours(1)), names);
  }

  public Path writePem(Path folder) {
    try {
      return Files.writeString(
          folder.resolve("authority.pem"), pem("CERTIFICATE", certificate.getEncoded()));
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  private PemKeyCertOptions issue(Instant notAfter, String... names) {
    KeyPair serverKeys = newKeys();
    try {
      return new PemKeyCertOptions()
          .addCertValue(
              Buffer.buffer(
                  pem(
                      "CERTIFICATE",
                      issue(new X500Name("CN=receiver"), serverKeys, notAfter, false, names)
                          .getEncoded())))
          .addKeyValue(Buffer.buffer(pem("PRIVATE KEY", serverKeys.getPrivate().getEncoded())));
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  private X509CertificateHolder issue(
      X500Name subject, KeyPair subjectKeys, Instant notAfter, boolean authority, String... names) {
    JcaX509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            issuer,
            new BigInteger(64, ThreadLocalRandom.current()),
            Date.from(Instant.now().minus(DAY)),
            Date.from(notAfter),
            subject,
            subjectKeys.getPublic());
    try {
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
      if (names.length > 0) {
        GeneralName[] general =
            Arrays.stream(names).map(TestAuthority::generalName).toArray(GeneralName[]::new);
        builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(general));
      }
      return builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate()));
    } catch (IOException | OperatorCreationException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private static GeneralName generalName(String name) {
    boolean address = name.indexOf(':') >= 0 || name.matches("[0-9.]+");
    return new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, name);
  }

  private static String pem(String type, byte[] der) {
    StringWriter pem = new StringWriter();
    pem.write("-----BEGIN " + type + "-----\n");
    pem.write(Base64.getMimeEncoder().encodeToString(der));
    pem.write("\n-----END " + type + "-----\n");
    return pem.toString();
  }

  private static KeyPair newKeys() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(256);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
