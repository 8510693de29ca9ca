package io.egress.webhook.send;

import static io.egress.webhook.send.CountingReceivers.answer;
import static io.egress.webhook.send.CountingReceivers.assertAllDelivered;
import static io.egress.webhook.send.SenderHarness.await;
import static io.egress.webhook.send.SenderHarness.envelope;
import static io.egress.webhook.send.SenderHarness.url;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.send.Outcome.Delivered;
import io.egress.webhook.send.Outcome.Failed;
import io.egress.webhook.send.SenderSettings.PoolLimits;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookSenderPoolTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  private SenderHarness harness = new SenderHarness();
  private CountingReceivers receivers = new CountingReceivers(harness);

  @AfterEach
  void close() {
    harness.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void reusesAConnection(boolean http2) {
    int port = receivers.https(http2, request -> request.response().end("ok"));

    for (int i = 0; i < 50; i++) {
      harness.sendDelivered(url(port));
    }

    assertThat(receivers.connections).hasSize(1);
    assertThat(harness.sender.openConnections()).isEqualTo(1);
  }

  @Test
  void reusesAConnectionAfterATruncatedResponseBody() {
    int port = receivers.https(false, request -> request.response().end("x".repeat(60_000)));

    for (int i = 0; i < 10; i++) {
      harness.sendDelivered(url(port));
    }

    assertThat(receivers.connections).hasSize(1);
  }

  @Test
  void opensNoMoreConnectionsThanItsBound() {
    use(new SenderHarness(new PoolLimits(3, 64, 100, LONG)));
    BlockingQueue<HttpServerRequest> held = new LinkedBlockingQueue<>();
    int port = receivers.https(false, held::add);

    List<Sending> sendings = receivers.startMany(10, port);
    await().until(() -> held.size() == 3);
    for (int i = 0; i < 10; i++) {
      answer(held);
    }

    assertAllDelivered(sendings);
    assertThat(receivers.connections).hasSize(3);
  }

  @Test
  void sendsSideBySideOnOneHttp2Connection() {
    BlockingQueue<HttpServerRequest> held = new LinkedBlockingQueue<>();
    int port = receivers.https(true, held::add);
    List<Sending> sendings = receivers.startMany(1, port);
    await().until(() -> held.size() == 1);

    sendings.addAll(receivers.startMany(20, port));
    await().until(() -> held.size() == 21);
    for (int i = 0; i < 21; i++) {
      answer(held);
    }

    assertAllDelivered(sendings);
    assertThat(receivers.connections).hasSize(1);
  }

  @Test
  void opensAnotherHttp2ConnectionWhereTheFirstIsFull() {
    HttpServerOptions options = new HttpServerOptions().setUseAlpn(true);
    options.getInitialSettings().setMaxConcurrentStreams(2);
    BlockingQueue<HttpServerRequest> held = new LinkedBlockingQueue<>();
    int port = receivers.https(options, held::add);

    List<Sending> sendings = receivers.startMany(6, port);
    await().until(() -> held.size() == 6);
    for (int i = 0; i < 6; i++) {
      answer(held);
    }

    assertAllDelivered(sendings);
    assertThat(receivers.connections).hasSizeBetween(3, 6);
  }

  /** The second attempt may get the connection of the first, but no time of its own with it. */
  @Test
  void includesWaitingForAConnectionInTheDeadline() {
    Duration timeout = Duration.ofSeconds(2);
    use(new SenderHarness(timeout, new PoolLimits(1, 64, 100, LONG)));
    int port = receivers.https(false, _ -> {});

    List<Sending> sendings = receivers.startMany(2, port);

    for (Sending sending : sendings) {
      assertThat(await(sending.outcome()))
          .isInstanceOfSatisfying(
              Failed.class,
              failed -> {
                assertThat(failed.kind()).isEqualTo(FailureKind.TIMEOUT);
                assertThat(failed.duration()).isLessThan(timeout.multipliedBy(2));
              });
    }
  }

  @Test
  void closesIdleConnections() {
    use(new SenderHarness(new PoolLimits(10, 64, 100, Duration.ofSeconds(1))));
    int port = receivers.https(false, request -> request.response().end());
    harness.sendDelivered(url(port));

    await().until(() -> harness.sender.openConnections() == 0);

    harness.sendDelivered(url(port));
    assertThat(receivers.connections).hasSize(2);
  }

  @Test
  void boundsTheIdleConnectionsOfAllEndpoints() {
    int perEventLoop = 2;
    int bound = perEventLoop * SenderHarness.EVENT_LOOPS;
    use(new SenderHarness(new PoolLimits(10, 64, bound, LONG)));
    int port = receivers.plain((socket, _) -> socket.write(CountingReceivers.OK));
    List<UUID> endpoints = IntStream.range(0, 3 * bound).mapToObj(n -> new UUID(0, n)).toList();
    endpoints.forEach(endpoint -> sendToItsOwnHost(endpoint, port));

    await().until(() -> harness.sender.openConnections() == bound);

    endpoints.subList(2 * bound, 3 * bound).forEach(endpoint -> sendToItsOwnHost(endpoint, port));
    assertThat(receivers.connections).hasSize(3 * bound);
  }

  @Test
  void opensAnotherConnectionIfTheReceiverWillCloseThisOne() {
    String answer = CountingReceivers.OK.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
    int port = receivers.raw((socket, _) -> socket.write(answer));

    for (int i = 0; i < 3; i++) {
      harness.sendDelivered(url(port));
    }

    assertThat(receivers.connections).hasSize(3);
  }

  @Test
  void honorsTheKeepAliveTimeoutOfTheReceiver() {
    String header = "\r\nkeep-alive: timeout=1, max=100\r\n\r\n";
    String answer = CountingReceivers.OK.replace("\r\n\r\n", header);
    int port = receivers.raw((socket, _) -> socket.write(answer));
    harness.sendDelivered(url(port));

    await().until(() -> harness.sender.openConnections() == 0);
  }

  /** Such a connection is neither open nor failed until the receiver ends it. */
  @Test
  void boundsConnectionsToAnHttp2ReceiverThatNeverBegins() {
    use(SenderHarness.impatient(new PoolLimits(10, 2, 100, LONG)));
    int warm = harness.sender.openConnections();
    Queue<NetSocket> silent = new ConcurrentLinkedQueue<>();
    NetServerOptions options =
        new NetServerOptions().setSsl(true).setKeyCertOptions(harness.certificate).setUseAlpn(true);
    options.getSslOptions().setApplicationLayerProtocols(List.of("h2"));
    int port = harness.netServer(options, silent::add);

    for (int i = 0; i < 2; i++) {
      assertThat(harness.sendFailed(url(port)).detail()).endsWith("connecting");
    }
    assertThat(harness.sendFailed(url(port)).kind()).isEqualTo(FailureKind.CONNECT);
    assertThat(silent).hasSize(2);
    silent.forEach(NetSocket::close);
    await().until(() -> harness.sender.openConnections() == warm);

    assertThat(harness.sendFailed(url(port)).detail()).endsWith("connecting");
  }

  private void use(SenderHarness other) {
    harness.close();
    harness = other;
    receivers = new CountingReceivers(other);
  }

  private void sendToItsOwnHost(UUID endpoint, int port) {
    String host = "r" + endpoint.getLeastSignificantBits() + ".test";
    harness.names.put(host, SenderHarness.addresses("127.0.0.1"));
    EndpointUrl url = url("http://" + host + ":" + port + "/");
    Sending sending = harness.start(harness.sender, endpoint, url, envelope("x"));
    assertThat(await(sending.outcome())).isInstanceOf(Delivered.class);
  }
}
