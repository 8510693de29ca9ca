package io.egress.webhook.send;

import static io.egress.webhook.send.SenderHarness.await;
import static io.egress.webhook.send.SenderHarness.envelope;
import static io.egress.webhook.send.SenderHarness.url;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.testing.ClosedPort;
import io.egress.testing.ConnectProxy;
import io.egress.webhook.endpoint.AddressPolicy;
import io.egress.webhook.endpoint.CidrBlock;
import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.endpoint.OAuth2Client;
import io.egress.webhook.send.ForwardProxy.Direct;
import io.egress.webhook.send.Outcome.Delivered;
import io.egress.webhook.send.Outcome.Failed;
import io.egress.webhook.send.SenderSettings.PoolLimits;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.NetServerOptions;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A sender whose connections lead through a proxy. */
class WebhookSenderProxyTest {
  private static final AddressPolicy LOOPBACK =
      new AddressPolicy(CidrBlock.parseList("127.0.0.0/8,::1"));

  private final ConnectProxy proxy = ConnectProxy.open();
  private final SenderHarness harness = new SenderHarness();
  private final List<WebhookSender> senders = new ArrayList<>();
  private final Queue<HttpServerRequest> received = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    senders.forEach(sender -> await(sender.close()));
    harness.close();
    proxy.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void connectsToTheCheckedAddressUnderTheReceiversName(boolean http2) {
    int port = receiver(http2);
    WebhookSender sender = sender(ForwardProxy.parse(proxy.url()));

    assertThat(send(sender, url(port))).isInstanceOf(Delivered.class);

    assertThat(proxy.requests()).hasSize(1);
    String head = proxy.requests().get(0);
    assertThat(head)
        .startsWith("CONNECT 127.0.0.1:" + port + " HTTP/1.1\r\n")
        .doesNotContain(SenderHarness.NAME)
        .doesNotContainIgnoringCase("proxy-authorization");
    HttpServerRequest request = received.remove();
    assertThat(request.authority()).hasToString(SenderHarness.NAME + ":" + port);
    assertThat(request.version()).isEqualTo(http2 ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1);
    assertThat(request.headers().names()).noneMatch(name -> name.startsWith("proxy"));
    assertThat(request.sslSession()).isNotNull();
    assertThat(request.connection().indicatedServerName()).isEqualTo(SenderHarness.NAME);
  }

  @Test
  void usesATunnelAgain() {
    int port = receiver(false);
    WebhookSender sender = sender(ForwardProxy.parse(proxy.url()));

    for (int i = 0; i < 5; i++) {
      assertThat(send(sender, url(port))).isInstanceOf(Delivered.class);
    }

    assertThat(received).hasSize(5);
    assertThat(proxy.requests()).hasSize(1);
  }

  @Test
  void logsInWithItsUserAndPassword() {
    int port = receiver(false);
    ForwardProxy login =
        ForwardProxy.parse("http://egress:p%40ss%3Aword@127.0.0.1:" + proxy.port());

    assertThat(send(sender(login), url(port))).isInstanceOf(Delivered.class);

    String credentials =
        Base64.getEncoder().encodeToString("egress:p@ss:word".getBytes(ISO_8859_1));
    assertThat(proxy.requests().get(0))
        .containsIgnoringCase("proxy-authorization: Basic " + credentials);
    assertThat(received.remove().headers().names())
        .noneMatch(name -> name.equalsIgnoreCase("proxy-authorization"));
    assertThat(login).hasToString("127.0.0.1:" + proxy.port());
  }

  @Test
  void accessTokensAreFetchedThroughIt() {
    int port = receiver(false);
    int tokenServer =
        harness.httpsReceiver(
            false,
            request ->
                request.response().end("{\"access_token\":\"a-token\",\"token_type\":\"bearer\"}"));
    AccessTokens tokens =
        new AccessTokens(
            harness.endpointId,
            new OAuth2Client(
                "https://%s:%d/token".formatted(SenderHarness.NAME, tokenServer),
                "id",
                "secret",
                null,
                null),
            false,
            null,
            Redaction.NONE);
    SendRequest request =
        new SendRequest(
            harness.endpointId,
            url(port),
            envelope("x"),
            new WebhookSignature(List.of(SenderHarness.SECRET)),
            Instant.now().getEpochSecond());

    WebhookSender sender = sender(ForwardProxy.parse(proxy.url()));
    Outcome.Authorized authorized =
        (Outcome.Authorized) await(sender.send(request, tokens, null).outcome());
    assertThat(await(sender.send(request, tokens, authorized).outcome()))
        .isInstanceOf(Delivered.class);

    assertThat(received.remove().getHeader("authorization")).isEqualTo("Bearer a-token");
    assertThat(proxy.requests())
        .extracting(head -> head.substring(0, head.indexOf(" HTTP")))
        .containsExactly("CONNECT 127.0.0.1:" + tokenServer, "CONNECT 127.0.0.1:" + port);
  }

  @Test
  void checksAddressesBeforeItAsksTheProxy() {
    harness.names.put(SenderHarness.NAME, SenderHarness.addresses("10.1.2.3"));

    Failed failed = fails(sender(ForwardProxy.parse(proxy.url())), url(443));

    assertThat(failed.kind()).isEqualTo(FailureKind.BLOCKED_ADDRESS);
    assertThat(proxy.requests()).isEmpty();
  }

  @Test
  void checksTheReceiversCertificate() {
    int port = receiver(false);
    harness.names.put("other.test", SenderHarness.addresses("127.0.0.1"));

    Failed failed =
        fails(sender(ForwardProxy.parse(proxy.url())), url("https://other.test:" + port + "/hook"));

    assertThat(failed.kind()).isEqualTo(FailureKind.TLS);
    assertThat(received).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.0/8, true",
    "127.0.0.1, true",
    "receiver.test, true",
    ".test, true",
    "10.0.0.0/8, false",
    "eceiver.test, false"
  })
  void reachesTheExceptionsDirectly(String exception, boolean direct) {
    int port = receiver(false);
    ForwardProxy partly = ForwardProxy.parse(proxy.url()).except(Direct.parse(exception));

    assertThat(send(sender(partly), url(port))).isInstanceOf(Delivered.class);

    assertThat(proxy.requests()).hasSize(direct ? 0 : 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "407 Proxy Authentication Required",
        "403 Forbidden",
        "502 Bad Gateway",
        "503 Service Unavailable"
      })
  void reportsWhatTheProxyAnswered(String answer) {
    int port = receiver(false);
    proxy.refuseWith("HTTP/1.1 " + answer + "\r\nContent-Length: 5\r\n\r\nsorry");
    WebhookSender sender = sender(ForwardProxy.parse(proxy.url()));

    Failed failed = fails(sender, url(port));

    assertThat(failed.kind()).isEqualTo(FailureKind.PROXY);
    assertThat(failed.detail()).isEqualTo("the proxy answered " + answer);
    assertThat(failed.status()).isNull();
    assertThat(failed.answerStart().length()).isZero();
    assertThat(received).isEmpty();

    proxy.refuseWith("");
    assertThat(send(sender, url(port))).isInstanceOf(Delivered.class);
  }

  @Test
  void reportsAProxyThatIsNotOne() {
    proxy.refuseWith("220 mail.example ESMTP\r\n");

    Failed failed = fails(sender(ForwardProxy.parse(proxy.url())), url(443));

    assertThat(failed.kind()).isEqualTo(FailureKind.PROXY);
  }

  @Test
  void reportsAReceiverThatTheProxyCannotReach() {
    try (ClosedPort port = ClosedPort.open()) {
      Failed failed = fails(sender(ForwardProxy.parse(proxy.url())), url(port.number()));

      assertThat(failed.kind()).isEqualTo(FailureKind.PROXY);
      assertThat(failed.detail()).isEqualTo("the proxy answered 502 Bad Gateway");
    }
  }

  @Test
  void reportsAProxyThatIsDownWithoutNamingIt() {
    try (ClosedPort port = ClosedPort.open()) {
      ForwardProxy down = ForwardProxy.parse("http://egress:hidden@127.0.0.1:" + port.number());

      Failed failed = fails(sender(down), url(443));

      assertThat(failed.kind()).isEqualTo(FailureKind.PROXY);
      assertThat(failed.detail())
          .startsWith("cannot connect to the proxy: ")
          .contains("refused")
          .doesNotContain(Integer.toString(port.number()), "hidden");
    }
  }

  @Test
  void reportsAProxyThatHangs() {
    proxy.hang(true);
    WebhookSender sender = sender(ForwardProxy.parse(proxy.url()), SenderHarness.SHORT_TIMEOUT);

    Failed failed = fails(sender, url(443));

    assertThat(failed.kind()).isEqualTo(FailureKind.PROXY);
    assertThat(failed.detail()).isEqualTo("no connection through the proxy within 1500 ms");
  }

  @Test
  void reportsAReceiverBehindTheProxyThatHangs() {
    int port = harness.httpsReceiver(false, _ -> {});
    WebhookSender sender = sender(ForwardProxy.parse(proxy.url()), Duration.ofSeconds(3));

    Failed failed = fails(sender, url(port));

    assertThat(failed.kind()).isEqualTo(FailureKind.TIMEOUT);
    assertThat(failed.detail()).contains("waiting for the status line");
  }

  @Test
  void opensANewTunnelWhenAReusedOneIsStale() {
    AtomicInteger requests = new AtomicInteger();
    NetServerOptions tls =
        new NetServerOptions().setSsl(true).setKeyCertOptions(harness.certificate);
    // The second request on a connection is cut off, as by a receiver that has just closed it.
    int port =
        harness.netServer(
            tls,
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
    WebhookSender sender = sender(ForwardProxy.parse(proxy.url()));

    assertThat(send(sender, url(port))).isInstanceOf(Delivered.class);
    assertThat(send(sender, url(port))).isInstanceOf(Delivered.class);

    assertThat(requests).hasValue(3);
    assertThat(proxy.requests())
        .hasSize(2)
        .allMatch(head -> head.startsWith("CONNECT 127.0.0.1:" + port + " "));
  }

  @Test
  void doesNotSendPlainHttpThroughAProxy() {
    AtomicInteger arrived = new AtomicInteger();
    int port =
        harness.httpReceiver(request -> {
          arrived.incrementAndGet();
          request.response().end();
        });
    EndpointUrl plain = SenderHarness.plainUrl(port);

    Failed failed = fails(sender(ForwardProxy.parse(proxy.url())), plain);

    assertThat(failed.kind()).isEqualTo(FailureKind.PROXY);
    assertThat(failed.detail()).contains("plain http");
    assertThat(arrived).hasValue(0);
    ForwardProxy partly = ForwardProxy.parse(proxy.url()).except(Direct.parse("127.0.0.0/8"));
    assertThat(send(sender(partly), plain)).isInstanceOf(Delivered.class);
    assertThat(proxy.requests()).isEmpty();
  }

  /** Where the first address is refused, the next one is tried. */
  @Test
  void triesTheNextAddressThroughTheProxy() {
    int port = receiver(false);
    List<InetAddress> both = SenderHarness.addresses("127.7.7.7", "127.0.0.1");
    harness.names.put(SenderHarness.NAME, both);

    assertThat(send(sender(ForwardProxy.parse(proxy.url())), url(port)))
        .isInstanceOf(Delivered.class);

    assertThat(proxy.requests()).hasSize(2);
  }

  private int receiver(boolean http2) {
    return harness
        .httpsServer(
            new HttpServerOptions().setUseAlpn(http2).setSni(true),
            request -> {
              received.add(request);
              request.response().end();
            })
        .actualPort();
  }

  private WebhookSender sender(ForwardProxy through) {
    return sender(through, SenderHarness.AMPLE_TIMEOUT);
  }

  private WebhookSender sender(ForwardProxy through, Duration timeout) {
    WebhookSender made =
        harness.newSender(
            new SenderSettings(timeout, Duration.ZERO, PoolLimits.DEFAULTS, through, null),
            LOOPBACK,
            harness::lookUp);
    senders.add(made);
    return made;
  }

  private Outcome send(WebhookSender sender, EndpointUrl url) {
    return await(harness.start(sender, harness.endpointId, url, envelope("x")).outcome());
  }

  private Failed fails(WebhookSender sender, EndpointUrl url) {
    Outcome outcome = send(sender, url);
    assertThat(outcome).isInstanceOf(Failed.class);
    return (Failed) outcome;
  }
}
