package io.egress.webhook.send;

import static io.egress.webhook.send.SenderHarness.await;
import static io.egress.webhook.send.SenderHarness.envelope;
import static io.egress.webhook.send.SenderHarness.plainUrl;
import static io.egress.webhook.send.SenderHarness.url;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.testing.ClosedPort;
import io.egress.webhook.send.Outcome.Delivered;
import io.egress.webhook.send.Outcome.Failed;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookSenderFailureTest {
  private static final Duration TIMEOUT = SenderHarness.SHORT_TIMEOUT;

  private static final long DRIP_PERIOD_MILLIS = 50;

  private SenderHarness harness = new SenderHarness();

  @AfterEach
  void close() {
    harness.close();
  }

  @Test
  void reportsARefusedConnection() {
    try (ClosedPort port = ClosedPort.open()) {
      Failed failed = harness.sendFailed(url(port.number()));

      assertThat(failed.kind()).isEqualTo(FailureKind.CONNECT);
      assertThat(failed.detail()).contains("refused");
      assertThat(failed.status()).isNull();
    }
  }

  @Test
  void reportsAConnectionResetBeforeTheResponse() {
    NetServerOptions abrupt =
        new NetServerOptions().setSsl(true).setKeyCertOptions(harness.certificate).setSoLinger(0);
    int port = harness.netServer(abrupt, socket -> socket.handler(_ -> socket.close()));

    assertThat(harness.sendFailed(url(port)).kind()).isEqualTo(FailureKind.RESET);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\ncontent-le"})
  void reportsAConnectionClosedBeforeTheResponseHead(String start) {
    int port = harness.tlsReceiver(socket -> socket.handler(_ -> socket.end(Buffer.buffer(start))));

    assertThat(harness.sendFailed(url(port)).kind()).isEqualTo(FailureKind.RESET);
  }

  @Test
  void endsAtItsDeadline() {
    useImpatientOne();
    int port = harness.tlsReceiver(_ -> {});

    Failed failed = harness.sendFailed(url(port));

    assertThat(failed.kind()).isEqualTo(FailureKind.TIMEOUT);
    assertThat(failed.detail()).contains("1500 ms", "status line");
    assertThat(failed.duration()).isGreaterThanOrEqualTo(TIMEOUT);
  }

  @Test
  void includesTheHandshakeInTheDeadline() {
    useImpatientOne();
    int port = harness.plainReceiver(_ -> {});

    Failed failed = harness.sendFailed(url(port));

    assertThat(failed.kind()).isEqualTo(FailureKind.TIMEOUT);
    assertThat(failed.detail()).contains("connecting");
    assertThat(failed.duration()).isGreaterThanOrEqualTo(TIMEOUT);
  }

  @Test
  void timesOutWhenHeadersTrickle() {
    useImpatientOne();
    int port =
        harness.tlsReceiver(
            socket -> socket.handler(_ -> drip(socket, "HTTP/1.1 200 OK\r\nx: ", "y")));

    Failed failed = harness.sendFailed(url(port));

    assertThat(failed.kind()).isEqualTo(FailureKind.TIMEOUT);
    assertThat(failed.duration()).isGreaterThanOrEqualTo(TIMEOUT);
  }

  @Test
  void isDeliveredWhenTheBodyTrickles() {
    useImpatientOne();
    int warm = harness.sender.openConnections();
    int port =
        harness.tlsReceiver(socket -> {
          socket.handler(_ -> drip(socket, "HTTP/1.1 200 OK\r\n\r\n", "z"));
        });

    Delivered delivered = harness.sendDelivered(url(port));

    assertThat(delivered.duration()).isLessThan(TIMEOUT);
    assertThat(delivered.answerStart().toString()).matches("z{2,}");
    await().until(() -> harness.sender.openConnections() == warm);
  }

  @Test
  void failsByItsStatusWhenTheBodyTrickles() {
    useImpatientOne();
    int port =
        harness.tlsReceiver(
            socket -> socket.handler(_ -> drip(socket, "HTTP/1.1 503 Sorry\r\n\r\n", "z")));

    assertThat(harness.sendFailed(url(port))).returns(503, Failed::status);
  }

  @Test
  void isDeliveredWhenTheBodyIsTruncated() {
    int port =
        harness.tlsReceiver(socket ->
            socket.handler(_ ->
                socket.end(Buffer.buffer("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"))));

    assertThat(harness.sendDelivered(url(port)).answerStart()).hasToString("half");
  }

  /** A body that fills every buffer on the way must not keep a connection that nobody reads. */
  @Test
  void freesAConnectionWhoseReceiverStopsReading() {
    useImpatientOne();
    int warm = harness.sender.openConnections();
    int port = harness.plainReceiver(NetSocket::pause);
    Envelope huge = envelope("x".repeat(30_000_000));

    Outcome outcome = await(harness.start(plainUrl(port), huge).outcome());

    assertThat(((Failed) outcome).kind()).isEqualTo(FailureKind.TIMEOUT);
    await().until(() -> harness.sender.openConnections() == warm);
  }

  private void useImpatientOne() {
    harness.close();
    harness = SenderHarness.impatient();
  }

  private void drip(NetSocket socket, String first, String drop) {
    socket.handler(_ -> {});
    socket.write(first);
    long timer = harness.vertx.setPeriodic(DRIP_PERIOD_MILLIS, _ -> socket.write(drop));
    socket.closeHandler(_ -> harness.vertx.cancelTimer(timer));
  }
}
