package io.egress.webhook.send;

import static io.egress.webhook.send.SenderHarness.url;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.send.Outcome.Failed;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WebhookSenderTlsTest {
  private final SenderHarness harness = new SenderHarness();

  @AfterEach
  void close() {
    harness.close();
  }

  @Test
  void reportsAnUntrustedCertificate() {
    assertTlsFailure(new TestAuthority().issueFor(SenderHarness.NAME), "certification path");
  }

  @Test
  void reportsACertificateForAnotherName() {
    assertTlsFailure(harness.authority.issueFor("other.test"), "receiver.test");
  }

  @Test
  void reportsACertificateForAnAddressOnly() {
    assertTlsFailure(harness.authority.issueFor("127.0.0.1"), "receiver.test");
  }

  @Test
  void reportsAnExpiredCertificate() {
    assertTlsFailure(harness.authority.issueExpired(SenderHarness.NAME), "NotAfter");
  }

  @Test
  void reportsAReceiverWithoutTls() {
    int port =
        harness.plainReceiver(
            socket -> socket.handler(_ -> socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")));

    assertThat(harness.sendFailed(url(port)).kind()).isEqualTo(FailureKind.TLS);
  }

  @Test
  void reportsAnAbortedHandshake() {
    int port = harness.plainReceiver(socket -> socket.handler(_ -> socket.close()));

    assertThat(harness.sendFailed(url(port)).kind()).isEqualTo(FailureKind.TLS);
  }

  private void assertTlsFailure(PemKeyCertOptions certificate, String detail) {
    int port =
        harness.netServer(
            new NetServerOptions().setSsl(true).setKeyCertOptions(certificate), _ -> {});

    Failed failed = harness.sendFailed(url(port));

    assertThat(failed.kind()).isEqualTo(FailureKind.TLS);
    assertThat(failed.detail()).contains(detail);
  }
}
