package io.egress.webhook.send;

import static io.egress.webhook.send.SenderHarness.await;
import static io.egress.webhook.send.SenderHarness.envelope;
import static io.egress.webhook.send.SenderHarness.url;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.testing.CertificateAuthority;
import io.egress.testing.CertificateAuthority.Issued;
import io.egress.testing.ConnectProxy;
import io.egress.webhook.endpoint.AddressPolicy;
import io.egress.webhook.endpoint.CidrBlock;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.send.Outcome.Delivered;
import io.egress.webhook.send.Outcome.Failed;
import io.egress.webhook.send.SenderSettings.PoolLimits;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.PemTrustOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receivers that request a certificate of the sender. */
class WebhookSenderCertificateTest {
  private static final AddressPolicy LOOPBACK =
      new AddressPolicy(CidrBlock.parseList("127.0.0.0/8,::1"));

  private final SenderHarness harness = new SenderHarness();
  private final CertificateAuthority authority = new CertificateAuthority();
  private final List<WebhookSender> senders = new ArrayList<>();
  private final Set<HttpConnection> connections = ConcurrentHashMap.newKeySet();
  private final Queue<Integer> certificates = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    senders.forEach(sender -> await(sender.close()));
    harness.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void showsItsCertificateToAReceiverThatRequiresOne(boolean http2) {
    int port = receiver(http2, ClientAuth.REQUIRED);

    assertThat(send(sender(issued(authority), null), port)).isInstanceOf(Delivered.class);
    assertThat(certificates).containsExactly(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void isRefusedWithoutACertificateOrWithOneOfAnotherAuthority(boolean http2) {
    int port = receiver(http2, ClientAuth.REQUIRED);

    for (WebhookSender sender :
        List.of(harness.sender, sender(issued(new CertificateAuthority()), null))) {
      Outcome outcome = send(sender, port);
      assertThat(outcome).isInstanceOf(Failed.class);
      // With TLS 1.3, the receiver's alert comes after the handshake, or its reset before that.
      assertThat(((Failed) outcome).kind())
          .isIn(FailureKind.TLS, FailureKind.RESET, FailureKind.CONNECT);
    }
    assertThat(certificates).isEmpty();
  }

  @Test
  void deliversToReceiversThatRequestNone() {
    int port = receiver(true, ClientAuth.NONE);

    assertThat(send(sender(issued(authority), null), port)).isInstanceOf(Delivered.class);
    assertThat(certificates).containsExactly(0);
  }

  /** One receiver serves several endpoints, on connections of their own. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void showsTheCertificateOfTheEndpoint(boolean http2) {
    int port = receiver(http2, ClientAuth.REQUIRED);
    WebhookSender sender = sender(issued(new CertificateAuthority()), null);
    ClientCertificate own = issued(authority);

    for (int i = 0; i < 2; i++) {
      assertThat(send(sender, port)).isInstanceOf(Failed.class);
      assertThat(send(sender, port, own)).isInstanceOf(Delivered.class);
    }
    assertThat(certificates).hasSize(2);
    assertThat(connections).as("equal certificates share one").hasSize(1);
  }

  /** Requests on a new tunnel have TLS options of their own. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void showsItThroughAProxyOnANewTunnelToo(boolean ofEndpoint) {
    AtomicInteger requests = new AtomicInteger();
    NetServerOptions options =
        new NetServerOptions()
            .setSsl(true)
            .setKeyCertOptions(harness.certificate)
            .setClientAuth(ClientAuth.REQUIRED)
            .setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(authority.pem())));
    int port =
        harness.netServer(
            options,
            socket -> {
              AtomicInteger onThis = new AtomicInteger();
              socket.handler(bytes -> {
                if (!bytes.toString(ISO_8859_1).startsWith("POST ")) {
                  return;
                }
                requests.incrementAndGet();
                if (onThis.incrementAndGet() == 1) {
                  socket.write("HTTP/1.1 204 No Content\r\n\r\n");
                } else {
                  socket.close();
                }
              });
            });
    try (ConnectProxy proxy = ConnectProxy.open()) {
      ClientCertificate trusted = issued(authority);
      ClientCertificate shared = ofEndpoint ? issued(new CertificateAuthority()) : trusted;
      WebhookSender sender = sender(shared, ForwardProxy.parse(proxy.url()));

      for (int i = 0; i < 2; i++) {
        assertThat(ofEndpoint ? send(sender, port, trusted) : send(sender, port))
            .isInstanceOf(Delivered.class);
      }

      assertThat(requests).as("the second of them twice").hasValue(3);
      assertThat(proxy.requests()).hasSize(2);
    }
  }

  private int receiver(boolean http2, ClientAuth clientAuth) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setUseAlpn(http2)
            .setClientAuth(clientAuth)
            .setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(authority.pem())));
    return harness
        .httpsServer(
            options,
            request -> {
              connections.add(request.connection());
              certificates.add(shown(request.connection()));
              request.response().end();
            })
        .actualPort();
  }

  private static int shown(HttpConnection connection) {
    try {
      return connection.peerCertificates().size();
    } catch (SSLPeerUnverifiedException none) {
      return 0;
    }
  }

  private static ClientCertificate issued(CertificateAuthority by) {
    Issued issued = by.issueFor();
    return ClientCertificate.of(issued.certificate(), issued.key(), Instant.now());
  }

  private WebhookSender sender(ClientCertificate certificate, @Nullable ForwardProxy proxy) {
    WebhookSender made =
        harness.newSender(
            new SenderSettings(
                SenderHarness.AMPLE_TIMEOUT,
                Duration.ZERO,
                PoolLimits.DEFAULTS,
                proxy,
                certificate),
            LOOPBACK,
            harness::lookUp);
    senders.add(made);
    return made;
  }

  private Outcome send(WebhookSender sender, int port, ClientCertificate certificate) {
    SendRequest request =
        new SendRequest(
            harness.endpointId,
            url(port),
            envelope("x"),
            CaptureState.ofTest(UUID.randomUUID()),
            new WebhookSignature(List.of(SenderHarness.SECRET)),
            CustomHeaders.NONE,
            certificate,
            Instant.now().getEpochSecond(),
            null,
            Redaction.NONE);
    return await(sender.send(request).outcome());
  }

  private Outcome send(WebhookSender sender, int port) {
    return await(harness.start(sender, harness.endpointId, url(port), envelope("x")).outcome());
  }
}
