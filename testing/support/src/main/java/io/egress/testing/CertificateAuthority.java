package io.egress.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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

/** A certificate authority for tests. Bouncy Castle is on the class path of tests only. */
public final class CertificateAuthority {
  private static final Duration DAY = Duration.ofDays(1);

  /** In PEM form, the key as PKCS#8. */
  public record Issued(String certificate, String key) {
    public Path writeCertificate(Path file) {
      return write(file, certificate);
    }

    /** Readable by its owner only, as clients require. */
    public Path writeKey(Path file) {
      try {
        return Files.setPosixFilePermissions(
            write(file, key), PosixFilePermissions.fromString("rw-------"));
      } catch (IOException fault) {
        throw new UncheckedIOException(fault);
      }
    }
  }

  private final X500Name issuer = new X500Name("CN=Test Authority " + UUID.randomUUID());
  private final KeyPair keys = newKeys();
  private final X509CertificateHolder certificate;
  private final Duration validFor;

  public CertificateAuthority() {
    this(DAY);
  }

  /** {@code validFor} is how far in the future and in the past its certificates are valid. */
  public CertificateAuthority(Duration validFor) {
    this.validFor = validFor;
    certificate = issue(issuer, keys, Instant.now().plus(validFor), true);
  }

  /** For DNS names, or IP addresses. */
  public Issued issueFor(String... names) {
    return issue(Instant.now().plus(validFor), names);
  }

  public Issued issueExpired(String... names) {
    return issue(Instant.now().minus(Duration.ofHours(1)), names);
  }

  public String pem() {
    return encoded(certificate);
  }

  public Path writePem(Path folder) {
    return write(folder.resolve("authority.pem"), pem());
  }

  private Issued issue(Instant notAfter, String... names) {
    KeyPair subjectKeys = newKeys();
    return new Issued(
        encoded(issue(new X500Name("CN=receiver"), subjectKeys, notAfter, false, names)),
        pem("PRIVATE KEY", subjectKeys.getPrivate().getEncoded()));
  }

  private X509CertificateHolder issue(
      X500Name subject, KeyPair subjectKeys, Instant notAfter, boolean authority, String... names) {
    JcaX509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            issuer,
            new BigInteger(64, ThreadLocalRandom.current()),
            Date.from(Instant.now().minus(validFor)),
            Date.from(notAfter),
            subject,
            subjectKeys.getPublic());
    try {
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
      if (names.length > 0) {
        GeneralName[] general =
            Arrays.stream(names).map(CertificateAuthority::generalName).toArray(GeneralName[]::new);
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

  private static String encoded(X509CertificateHolder certificate) {
    try {
      return pem("CERTIFICATE", certificate.getEncoded());
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  private static String pem(String type, byte[] der) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(type, Base64.getMimeEncoder().encodeToString(der), type);
  }

  private static Path write(Path file, String text) {
    try {
      return Files.writeString(file, text);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
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
