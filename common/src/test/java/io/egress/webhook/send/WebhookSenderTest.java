package io.egress.webhook.send;

import static io.egress.webhook.send.SenderHarness.await;
import static io.egress.webhook.send.SenderHarness.envelope;
import static io.egress.webhook.send.SenderHarness.url;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.stripe.net.Webhook;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.SigningSecrets;
import io.egress.webhook.send.Outcome.Delivered;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookSenderTest {
  private record Received(HttpServerRequest request, Buffer body) {}

  private final SenderHarness harness = new SenderHarness();
  private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    harness.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void sendsTheSignedBytesWithTheHeadersOfTheSpecification(boolean http2) throws Exception {
    int port = receiver(http2, 200, "thanks");
    Envelope envelope = envelope("Grüße 日本 𝄞");

    Outcome outcome = await(harness.start(url(port), envelope).outcome());

    assertThat(outcome).isInstanceOf(Delivered.class);
    assertThat(((Delivered) outcome).answerStart()).hasToString("thanks");
    assertThat(outcome.duration()).isPositive();
    Received got = received.remove();
    HttpServerRequest request = got.request();
    assertThat(request.version()).isEqualTo(http2 ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1);
    assertThat(request.method().name()).isEqualTo("POST");
    assertThat(request.uri()).isEqualTo("/hook?x=1");
    assertThat(request.authority().toString()).isEqualTo("receiver.test:" + port);
    assertThat(request.getHeader("content-type")).isEqualTo("application/json");
    assertThat(request.getHeader("x-service-event")).isEqualTo("capture.processed");
    assertThat(request.getHeader("x-service-delivery")).isEqualTo(envelope.deliveryId().toString());
    assertThat(request.getHeader("user-agent")).matches("Transcript-Egress/[0-9].*");
    assertThat(request.getHeader("content-length")).isIn(Integer.toString(envelope.length()), null);
    assertThat(got.body().getBytes()).isEqualTo(envelope.buffer().getBytes());
    assertThat(
            Webhook.Signature.verifyHeader(
                got.body().toString(UTF_8),
                request.getHeader("x-service-signature"),
                SenderHarness.SECRET,
                300))
        .isTrue();
    assertThat(request.headers().names())
        .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("webhook-"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void signsByStandardWebhooksWhereTheEndpointAsksForIt(boolean http2) throws Exception {
    int port = receiver(http2, 200, "");
    Envelope envelope = envelope("Grüße 日本 𝄞");
    long now = Instant.now().getEpochSecond();
    CustomHeaders stale = new CustomHeaders(new TreeMap<>(Map.of("webhook-id", "set before")));

    Outcome outcome =
        await(
            harness
                .sender
                .send(
                    new SendRequest(
                        harness.endpointId,
                        url(port),
                        envelope,
                        new CaptureState(UUID.randomUUID(), 17, 3L),
                        new WebhookSignature(List.of(SenderHarness.SECRET), true),
                        stale,
                        null,
                        now,
                        null,
                        Redaction.NONE))
                .outcome());

    assertThat(outcome).isInstanceOf(Delivered.class);
    Received got = received.remove();
    HttpServerRequest request = got.request();
    assertRecorded((Delivered) outcome, envelope, request);
    assertThat(request.headers().getAll("webhook-id"))
        .containsExactly(envelope.deliveryId().toString());
    assertThat(request.getHeader("webhook-timestamp")).isEqualTo(Long.toString(now));
    assertThat(request.getHeader("x-service-signature")).startsWith("t=" + now + ",v1=");
    new com.standardwebhooks.Webhook(SigningSecrets.inStandardForm(SenderHarness.SECRET))
        .verify(
            got.body().toString(UTF_8),
            request.headers().names().stream()
                .collect(toMap(name -> name, name -> request.headers().getAll(name))));
  }

  /**
   * What is recorded of the request is what the receiver got, without the value of its own header.
   */
  private static void assertRecorded(
      Delivered delivered, Envelope envelope, HttpServerRequest received) {
    SentRequest sent = requireNonNull(delivered.exchanged().request());
    assertThat(sent.length()).isEqualTo(envelope.length());
    assertThat(sent.unixSeconds())
        .isEqualTo(Long.parseLong(received.getHeader("webhook-timestamp")));
    for (ShownHeader header : sent.allHeaders(envelope.deliveryId(), 17L, 3L)) {
      String value = received.getHeader(header.name());
      if (header.name().equals("content-length")) {
        assertThat(value).isIn(header.value(), null);
      } else if (header.value() != null) {
        assertThat(value).as(header.name()).isEqualTo(header.value());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void keepsTheHeadersOfAnAnswer(boolean http2) {
    int port =
        harness.httpsReceiver(
            http2,
            request ->
                request
                    .response()
                    .setStatusCode(500)
                    .putHeader("x-shard", "7")
                    .putHeader("set-cookie", "session=secret")
                    .end("no"));

    assertThat(harness.sendFailed(url(port)).exchanged().shownAnswerHeaders())
        .contains(new ShownHeader("x-shard", "7"), new ShownHeader("set-cookie", null));
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 202, 204, 226, 299})
  void treatsEverySuccessStatusAsDelivered(int status) {
    int port = receiver(false, status, "");

    assertThat(harness.sendDelivered(url(port)))
        .returns(status, Delivered::status)
        .returns(Buffer.buffer(), Delivered::answerStart);
  }

  @ParameterizedTest
  @ValueSource(ints = {300, 304, 400, 401, 404, 410, 413, 429, 500, 503, 599})
  void treatsEveryOtherStatusAsAFailure(int status) {
    int port = receiver(false, status, status == 304 ? "" : "no");

    assertThat(harness.sendFailed(url(port)))
        .returns(FailureKind.STATUS, Outcome.Failed::kind)
        .returns(status, Outcome.Failed::status)
        .returns("answered " + status, Outcome.Failed::detail)
        .returns(status == 304 ? "" : "no", failed -> failed.answerStart().toString());
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void followsNoRedirect(int status) {
    AtomicInteger followed = new AtomicInteger();
    int target = harness.httpsReceiver(false, _ -> followed.incrementAndGet());
    int port =
        harness.httpsReceiver(
            false,
            request ->
                request
                    .response()
                    .setStatusCode(status)
                    .putHeader("location", url(target).toString())
                    .end());

    assertThat(harness.sendFailed(url(port))).returns(status, Outcome.Failed::status);
    assertThat(followed).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void deliversALargeBody(boolean http2) {
    int port = receiver(http2, 200, "");
    Envelope envelope = envelope("ü".repeat(2_000_000));

    Outcome outcome = await(harness.start(url(port), envelope).outcome());

    assertThat(outcome).isInstanceOf(Delivered.class);
    assertThat(received.remove().body().getBytes()).isEqualTo(envelope.buffer().getBytes());
  }

  @Test
  void keepsTheFirstFourKilobytesOfAnAnswer() {
    int port = receiver(false, 500, "a".repeat(4_095) + "bcd");

    assertThat(harness.sendFailed(url(port)).answerStart()).hasToString("a".repeat(4_095) + "b");
  }

  @Test
  void reachesAnEndpointByItsAddress() {
    int port = receiver(false, 200, "");

    assertThat(harness.send(url("https://127.0.0.1:" + port + "/"))).isInstanceOf(Delivered.class);
    assertThat(received.remove().request().authority().toString()).isEqualTo("127.0.0.1:" + port);
  }

  @Test
  void canBeCalledFromAnyThread() throws Exception {
    int port = receiver(true, 200, "");
    Thread[] threads = new Thread[8];
    AtomicInteger delivered = new AtomicInteger();
    for (int i = 0; i < threads.length; i++) {
      threads[i] =
          new Thread(() -> {
            for (int n = 0; n < 20; n++) {
              if (harness.send(url(port)) instanceof Delivered) {
                delivered.incrementAndGet();
              }
            }
          });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(20));
    }
    assertThat(delivered).hasValue(160);
  }

  @Test
  void sendsPlainHttpWhereTheUrlSaysSo() {
    int port =
        harness.plainReceiver(socket ->
            socket.handler(_ -> socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")));

    assertThat(harness.send(SenderHarness.plainUrl(port))).isInstanceOf(Delivered.class);
  }

  @Test
  void endpointsBehindOneHostDoNotWaitForEachOther() {
    int endpoints = 300;
    BlockingQueue<HttpServerRequest> held = new LinkedBlockingQueue<>();
    int port = harness.httpReceiver(held::add);

    List<Sending> sendings = new ArrayList<>();
    for (int i = 0; i < endpoints; i++) {
      sendings.add(
          harness.start(
              harness.sender, UUID.randomUUID(), SenderHarness.plainUrl(port), envelope("x")));
    }

    await().until(() -> held.size() == endpoints);
    held.forEach(request -> request.response().end());
    sendings.forEach(sending -> assertThat(await(sending.outcome())).isInstanceOf(Delivered.class));
  }

  private int receiver(boolean http2, int status, String answer) {
    return harness.httpsReceiver(
        http2,
        request ->
            request
                .body()
                .onSuccess(body -> {
                  received.add(new Received(request, body));
                  request.response().setStatusCode(status).end(answer);
                }));
  }
}
