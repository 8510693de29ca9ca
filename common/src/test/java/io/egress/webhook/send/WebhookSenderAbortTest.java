package io.egress.webhook.send;

import static io.egress.webhook.send.CountingReceivers.answer;
import static io.egress.webhook.send.CountingReceivers.assertAllDelivered;
import static io.egress.webhook.send.SenderHarness.await;
import static io.egress.webhook.send.SenderHarness.envelope;
import static io.egress.webhook.send.SenderHarness.url;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.webhook.send.Outcome.Aborted;
import io.egress.webhook.send.Outcome.Delivered;
import io.egress.webhook.send.SenderSettings.PoolLimits;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookSenderAbortTest {
  private static final long INTERNAL_ERROR = 0x2;

  /** An HTTP/2 connection may take the time of an attempt to drain. */
  private static final Duration PATIENCE = SenderHarness.AMPLE_TIMEOUT.multipliedBy(3);

  private static final Duration LONG = Duration.ofMinutes(5);

  private SenderHarness harness = new SenderHarness();
  private CountingReceivers receivers = new CountingReceivers(harness);

  @AfterEach
  void close() {
    harness.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anAbortInFlightHasNoOutcomeAndClosesTheRequest(boolean http2) {
    AtomicInteger arrived = new AtomicInteger();
    AtomicInteger broken = new AtomicInteger();
    int port =
        harness.httpsReceiver(
            http2,
            request -> {
              request.response().exceptionHandler(_ -> broken.incrementAndGet());
              arrived.incrementAndGet();
            });

    Sending sending = harness.start(url(port), envelope("x"));
    await().until(() -> arrived.get() == 1);
    sending.abort("shutting down");

    assertThat(await(sending.outcome()))
        .isInstanceOfSatisfying(
            Aborted.class, aborted -> assertThat(aborted.reason()).isEqualTo("shutting down"));
    await().until(() -> broken.get() == 1);
  }

  /** A ping is answered only after what was sent before it has been read. */
  @Test
  void anAbortAfterTheStatusLineKeepsTheStatus() {
    AtomicBoolean answered = new AtomicBoolean();
    int port =
        harness.httpsReceiver(
            true,
            request -> {
              request.response().setChunked(true).write("ab");
              request
                  .connection()
                  .ping(Buffer.buffer("12345678"))
                  .onSuccess(_ -> answered.set(true));
            });

    Sending sending = harness.start(url(port), envelope("x"));
    await().untilTrue(answered);
    sending.abort("shutting down");

    assertThat(await(sending.outcome())).isInstanceOf(Delivered.class);
  }

  @Test
  void anAbortWhileConnectingOrAfterTheEndIsHarmless() {
    int hanging = harness.plainReceiver(_ -> {});
    Sending connecting = harness.start(url(hanging), envelope("x"));
    connecting.abort("enough");
    connecting.abort("again");
    assertThat(await(connecting.outcome())).isInstanceOf(Aborted.class);

    int port = harness.httpsReceiver(false, request -> request.response().end());
    Sending done = harness.start(url(port), envelope("x"));
    assertThat(await(done.outcome())).isInstanceOf(Delivered.class);
    done.abort("too late");
    assertThat(await(done.outcome())).isInstanceOf(Delivered.class);
  }

  /** Vert.x never gets back an HTTP/2 stream that was not begun. */
  @Test
  void keepsNoHttp2ConnectionThatArrivesTooLate() {
    int port = receivers.https(true, request -> request.response().end());
    Sending sending = harness.start(url(port), envelope("x"));
    sending.abort("enough");
    assertThat(await(sending.outcome())).isInstanceOf(Aborted.class);

    await().until(() -> harness.sender.openConnections() == 0);

    harness.sendDelivered(url(port));
    assertThat(receivers.requests).hasValue(1);
  }

  @Test
  void closingAbortsRunningAndLaterAttempts() {
    int port = harness.tlsReceiver(_ -> {});
    Sending running = harness.start(url(port), envelope("x"));

    await(harness.sender.close());

    assertThat(await(running.outcome())).isInstanceOf(Aborted.class);
    assertThat(harness.send(url(port))).isInstanceOf(Aborted.class);
  }

  @Test
  void forgetsAWaiterThatWasAborted() {
    use(new SenderHarness(new PoolLimits(1, 64, 100, LONG)));
    BlockingQueue<HttpServerRequest> held = new LinkedBlockingQueue<>();
    int port = receivers.https(false, held::add);

    List<Sending> sendings = receivers.startMany(3, port);
    Sending aborted = sendings.remove(1);
    aborted.abort("enough");
    assertThat(await(aborted.outcome())).isInstanceOf(Aborted.class);
    answer(held);
    answer(held);

    assertAllDelivered(sendings);
    assertThat(receivers.requests).hasValue(2);
  }

  @Test
  void leaksNoConnection() {
    use(new SenderHarness(new PoolLimits(4, 1_000, 100, Duration.ofSeconds(1))));
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Handler<HttpServerRequest>> moods =
        List.of(
            request -> request.response().end(),
            request -> request.response().setStatusCode(500).end("x".repeat(100_000)),
            request -> request.connection().close(),
            request -> request.response().reset(INTERNAL_ERROR),
            request -> request.response().setChunked(true).write("never ends"),
            _ -> {});
    Handler<HttpServerRequest> moody =
        request -> moods.get(random.nextInt(moods.size())).handle(request);
    int[] ports = {receivers.https(false, moody), receivers.https(true, moody)};
    List<Sending> sendings = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      sendings.addAll(receivers.startMany(1, ports[i % 2]));
    }
    for (Sending sending : sendings) {
      if (random.nextBoolean()) {
        sending.abort("seed " + seed);
      }
    }
    await().atMost(PATIENCE).until(() -> receivers.requests.get() > 10);
    sendings.forEach(sending -> sending.abort("seed " + seed));

    sendings.forEach(sending -> await(sending.outcome()));
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(harness.sender.openConnections()).isZero());
  }

  private void use(SenderHarness other) {
    harness.close();
    harness = other;
    receivers = new CountingReceivers(other);
  }
}
