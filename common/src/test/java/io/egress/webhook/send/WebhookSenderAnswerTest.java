package io.egress.webhook.send;

import static io.egress.webhook.send.SenderHarness.url;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.webhook.send.Outcome.Delivered;
import io.egress.webhook.send.Outcome.Failed;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookSenderAnswerTest {
  private final SenderHarness harness = new SenderHarness();

  @AfterEach
  void close() {
    harness.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 199 Odd\r\nx: y\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\n",
        "HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nt: 1\r\n\r\n",
      })
  void parsesEveryFormOfResponse(String answer) {
    int port =
        harness.tlsReceiver(socket ->
            socket.handler(_ -> {
              socket.write(answer);
              if (answer.startsWith("HTTP/1.0")) {
                socket.end();
              }
            }));

    harness.sendDelivered(url(port));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-OpenSSH_9.2\r\n\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 OK\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 0 x\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 -200 x\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 1000 x\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 40000 x\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 65736 x\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n",
        "x\u0000\u0001\u0002\r\n\r\n",
      })
  void reportsInvalidResponses(String answer) {
    int port = harness.tlsReceiver(socket -> socket.handler(_ -> socket.write(answer)));

    Failed failed = harness.sendFailed(url(port));

    assertThat(failed.kind()).isEqualTo(FailureKind.BAD_RESPONSE);
    assertThat(failed.detail()).isNotEmpty().doesNotContain("\u0000");
  }

  @ParameterizedTest
  @ValueSource(strings = {"100 Continue", "102 Processing", "103 Early Hints"})
  void abortsAFloodOfInterimResponses(String interim) {
    Buffer flood = Buffer.buffer(("HTTP/1.1 " + interim + "\r\n\r\n").repeat(1_000));
    AtomicBoolean open = new AtomicBoolean(true);
    int port =
        harness.tlsReceiver(socket -> {
          socket.closeHandler(_ -> open.set(false));
          socket.handler(_ -> pour(open::get, _ -> socket.write(flood)));
        });

    Failed failed = harness.sendFailed(url(port));

    assertThat(failed.kind()).isEqualTo(FailureKind.BAD_RESPONSE);
    assertThat(failed.detail()).contains("interim answers");
    await().untilFalse(open);
  }

  @Test
  void abortsAFloodOfInterimResponsesOverHttp2() {
    int port =
        harness.httpsReceiver(
            true,
            request -> {
              for (int i = 0; i < 100; i++) {
                request.response().writeContinue();
              }
            });

    assertThat(harness.sendFailed(url(port)).detail()).contains("interim answers");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 204 No Content\r\ncontent-length: 12\r\n\r\nall is well!",
        "HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\nall is well!\r\n\r\n",
      })
  void aBodyThatShouldNotBeThereDoesNotSpoilTheNextAttempt(String answer) {
    int port = harness.tlsReceiver(socket -> socket.handler(_ -> socket.write(answer)));

    for (int i = 0; i < 20; i++) {
      harness.sendDelivered(url(port));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void abortsAnEndlessBody(boolean http2) {
    int port =
        harness.httpsReceiver(
            http2,
            request -> {
              request.response().setChunked(true);
              pour(() -> !request.response().closed(), request.response()::write);
            });

    Delivered delivered = harness.sendDelivered(url(port));

    assertThat(delivered.answerStart().length()).isEqualTo(Outcome.ANSWER_START_MAX_BYTES);
  }

  @Test
  void survivesAnEndlessHead() {
    int port =
        harness.tlsReceiver(socket ->
            socket.handler(_ -> {
              socket.write("HTTP/1.1 200 OK\r\n");
              AtomicBoolean open = new AtomicBoolean(true);
              socket.closeHandler(_ -> open.set(false));
              pour(open::get, chunk -> socket.write("x: ").compose(_ -> socket.write(chunk)));
            }));

    assertThat(harness.sendFailed(url(port)).kind()).isEqualTo(FailureKind.BAD_RESPONSE);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void boundsTheHeadOfAnAnswer(boolean http2) {
    assertThat(harness.sendFailed(url(receiverWithHugeHeaders(http2))).kind())
        .isEqualTo(FailureKind.BAD_RESPONSE);
  }

  /** The log keeps less of the headers than what is read. */
  @Test
  void readsRetryAfterBehindManyHeaders() {
    int port =
        harness.httpsReceiver(
            false,
            request ->
                request
                    .response()
                    .setStatusCode(503)
                    .putHeader("x-long", "y".repeat(2_024))
                    .putHeader("retry-after", "3600")
                    .end());

    assertThat(RetryAfter.of(harness.sendFailed(url(port)), Instant.now()))
        .contains(Duration.ofHours(1));
  }

  private int receiverWithHugeHeaders(boolean http2) {
    return harness.httpsReceiver(
        http2,
        request -> {
          for (int i = 0; i < 100; i++) {
            request.response().putHeader("x-" + i, "y".repeat(1_000));
          }
          request.response().end();
        });
  }

  private interface Sink {
    Future<?> write(Buffer chunk);
  }

  /** Writes without end, each piece once the one before it is out. */
  private static void pour(BooleanSupplier open, Sink sink) {
    Buffer chunk = Buffer.buffer(("a".repeat(8_000) + "\r\n").getBytes(UTF_8));
    if (open.getAsBoolean()) {
      sink.write(chunk).onSuccess(_ -> pour(open, sink));
    }
  }
}
