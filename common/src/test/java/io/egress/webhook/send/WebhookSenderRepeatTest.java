package io.egress.webhook.send;

import static io.egress.webhook.send.CountingReceivers.assertAllDelivered;
import static io.egress.webhook.send.SenderHarness.url;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.webhook.send.SenderSettings.PoolLimits;
import io.vertx.core.net.NetSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WebhookSenderRepeatTest {
  private static final long REFUSED_STREAM = 0x7;
  private static final long INTERNAL_ERROR = 0x2;

  private static final Duration LONG = Duration.ofMinutes(5);

  private SenderHarness harness = new SenderHarness();
  private CountingReceivers receivers = new CountingReceivers(harness);

  @AfterEach
  void close() {
    harness.close();
  }

  @Test
  void repeatsOnAFreshConnectionIfAReusedOneBroke() {
    int port =
        receivers.raw((socket, nth) -> {
          if (nth == 2) {
            socket.close();
          } else {
            socket.write(CountingReceivers.OK);
          }
        });

    Outcome.Delivered first = harness.sendDelivered(url(port));
    Outcome.Delivered second = harness.sendDelivered(url(port));

    assertThat(receivers.connections).hasSize(2);
    assertThat(receivers.requests).hasValue(3);
    assertThat(times(first.exchanged())).isEqualTo(1);
    assertThat(times(second.exchanged())).as("both requests are counted").isEqualTo(2);
  }

  @Test
  void repeatsOnlyOnce() {
    int port =
        receivers.raw((socket, nth) -> {
          if (nth == 1) {
            socket.write(CountingReceivers.OK);
          } else {
            socket.close();
          }
        });
    harness.sendDelivered(url(port));

    Outcome.Failed failed = harness.sendFailed(url(port));

    assertThat(failed.kind()).isEqualTo(FailureKind.RESET);
    assertThat(receivers.requests).hasValue(3);
    assertThat(times(failed.exchanged())).isEqualTo(2);
  }

  private static int times(Exchanged exchanged) {
    return Optional.ofNullable(exchanged.request()).orElseThrow().times();
  }

  @Test
  void repeatsNothingOnAFreshConnection() {
    int port = receivers.raw((socket, _) -> socket.close());

    assertThat(harness.sendFailed(url(port)).kind()).isEqualTo(FailureKind.RESET);
    assertThat(receivers.requests).hasValue(1);
  }

  @Test
  void makesRoomForTheFreshConnectionOfARepetition() {
    use(new SenderHarness(new PoolLimits(2, 64, 100, LONG)));
    BlockingQueue<NetSocket> held = new LinkedBlockingQueue<>();
    int port =
        receivers.raw((socket, nth) -> {
          if (nth <= 2) {
            held.add(socket);
          } else if (nth == 3) {
            socket.close();
          } else {
            socket.write(CountingReceivers.OK);
          }
        });
    List<Sending> two = receivers.startMany(2, port);
    await().until(() -> held.size() == 2);
    held.forEach(socket -> socket.write(CountingReceivers.OK));
    assertAllDelivered(two);

    harness.sendDelivered(url(port));

    assertThat(receivers.connections).hasSize(3);
  }

  @Test
  void movesToAnotherConnectionAfterGoAway() {
    int port =
        receivers.https(
            true,
            request -> {
              request.response().end();
              request.connection().shutdown();
            });

    for (int i = 0; i < 5; i++) {
      harness.sendDelivered(url(port));
    }

    assertThat(receivers.requests).hasValue(5);
    await().until(() -> harness.sender.openConnections() == 0);
  }

  @Test
  void repeatsRequestsNotProcessedBeforeGoAway() {
    int port =
        receivers.https(
            true,
            request -> {
              if (receivers.requests.get() == 1) {
                request.connection().goAway(0, 0);
              } else {
                request.response().end();
              }
            });

    harness.sendDelivered(url(port));

    assertThat(receivers.connections).hasSize(2);
  }

  @Test
  void repeatsARefusedStream() {
    int port =
        receivers.https(
            true,
            request -> {
              if (receivers.requests.get() == 1) {
                request.response().reset(REFUSED_STREAM);
              } else {
                request.response().end();
              }
            });

    harness.sendDelivered(url(port));

    assertThat(receivers.requests).hasValue(2);
  }

  @Test
  void keepsAConnectionAfterAStreamError() {
    int port =
        receivers.https(
            true,
            request -> {
              if (receivers.requests.get() == 2) {
                request.response().reset(INTERNAL_ERROR);
              } else {
                request.response().end();
              }
            });

    harness.sendDelivered(url(port));
    assertThat(harness.sendFailed(url(port)).kind()).isEqualTo(FailureKind.RESET);
    harness.sendDelivered(url(port));

    assertThat(receivers.requests).hasValue(3);
    assertThat(receivers.connections).hasSize(1);
  }

  @Test
  void replacesAnHttp2ConnectionAfterATimeout() {
    use(SenderHarness.impatient());
    int port =
        receivers.https(
            true,
            request -> {
              if (receivers.requests.get() != 2) {
                request.response().end();
              }
            });

    harness.sendDelivered(url(port));
    assertThat(harness.sendFailed(url(port)).kind()).isEqualTo(FailureKind.TIMEOUT);
    harness.sendDelivered(url(port));

    assertThat(receivers.connections).hasSize(2);
  }

  private void use(SenderHarness other) {
    harness.close();
    harness = other;
    receivers = new CountingReceivers(other);
  }
}
