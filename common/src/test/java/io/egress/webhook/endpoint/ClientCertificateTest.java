package io.egress.webhook.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.egress.testing.CertificateAuthority;
import io.egress.testing.CertificateAuthority.Issued;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientCertificateTest {
  private final CertificateAuthority authority = new CertificateAuthority();
  private final Issued issued = authority.issueFor();
  private final Instant now = Instant.now();

  @Test
  void readsAChainAndItsKey() {
    ClientCertificate certificate =
        ClientCertificate.of(issued.certificate() + authority.pem(), issued.key(), now);

    assertThat(certificate.shown().expiresAt())
        .isBetween(now.plus(Duration.ofHours(23)), now.plus(Duration.ofHours(25)));
    assertThat(certificate.toString()).doesNotContain("KEY");
  }

  @Test
  void isSealedForItsEndpoint() {
    SecretBox box = SecretBox.parse(SecretBox.newKey());
    UUID id = UUID.randomUUID();
    ClientCertificate certificate =
        ClientCertificate.of(issued.certificate() + authority.pem(), issued.key(), now);
    Buffer sealed = certificate.seal(box, id);

    ClientCertificate opened = ClientCertificate.open(sealed, box, id);

    assertThat(opened.options()).isEqualTo(certificate.options());
    assertThat(opened.shown()).isEqualTo(certificate.shown());
    assertThat(opened.shown().subject()).isEqualTo("CN=receiver");
    assertThat(sealed.toString()).doesNotContain("BEGIN");
    assertThatExceptionOfType(DamagedSecretException.class)
        .isThrownBy(() -> ClientCertificate.open(sealed, box, UUID.randomUUID()))
        .withMessageContaining("client certificate");
    assertThatExceptionOfType(DamagedSecretException.class)
        .isThrownBy(() -> CustomHeaders.open(sealed, box, id));
  }

  @Test
  void refusesACertificateThatIsNotValidNow() {
    Issued expired = authority.issueExpired();

    assertRefused(expired.certificate(), expired.key(), "the certificate expired at ");
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            ClientCertificate.of(
                issued.certificate(), issued.key(), now.minus(Duration.ofDays(30))))
        .withMessageStartingWith("the certificate is not valid before ");
  }

  @Test
  void refusesAnotherCertificatesKey() {
    assertRefused(
        issued.certificate(),
        authority.issueFor().key(),
        "the private key is not that of the certificate");
    assertRefused(
        authority.pem() + issued.certificate(),
        issued.key(),
        "the private key is not that of the certificate");
  }

  @Test
  void refusesWhatIsNoCertificate() {
    assertRefused("", issued.key(), "there is no certificate");
    assertRefused(issued.key(), issued.key(), "the certificate cannot be read");
    assertRefused(
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        issued.key(),
        "the certificate cannot be read");
  }

  @ParameterizedTest
  @CsvSource({
    "ENCRYPTED PRIVATE KEY, the private key is encrypted",
    "RSA PRIVATE KEY, the private key must be in PKCS#8 form",
    "EC PRIVATE KEY, the private key must be in PKCS#8 form",
    "CERTIFICATE, the private key must be in PKCS#8 form",
    "PRIVATE KEY, the private key cannot be read"
  })
  void refusesOtherKeys(String type, String reason) {
    String body = Base64.getMimeEncoder().encodeToString(new byte[100]);
    String pem = "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(type, body);

    assertRefused(issued.certificate(), pem, reason);
  }

  private void assertRefused(String chain, String key, String reason) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClientCertificate.of(chain, key, now))
        .withMessageStartingWith(reason);
  }
}
