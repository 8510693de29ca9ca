package io.egress.api.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.RawClient;
import io.egress.platform.flow.Patience;
import io.egress.platform.http.Listener;
import io.egress.platform.http.ListenerLimits;
import io.egress.platform.http.ListenerSettings;
import io.egress.platform.http.RequestLog;
import io.egress.platform.http.Routes;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers without an end, beside more clients that read none of them than calls run at a time. */
class SlowReadersTest {
  private static final int READERS = 300;
  private static final Duration LONG = Duration.ofMinutes(10);

  private final Vertx vertx = Vertx.vertx();
  private final List<RawClient> readers = new ArrayList<>();
  private int port;

  @BeforeEach
  void open() throws Exception {
    Calls calls = new Calls(new Patience.Terms(LONG, 1));
    Routes routes =
        new Routes()
            .get("/small", calls.answer(_ -> Answer.noContent()))
            .get("/endless", calls.answer(_ -> Answer.streamed("text/plain", this::writeForEver)));
    port =
        Listener.open(
                vertx,
                ListenerSettings.internal("127.0.0.1", 0),
                1,
                new ListenerLimits(Duration.ZERO, LONG, LONG, Duration.ofSeconds(15)),
                new RequestLog(false),
                routes)
            .await(20, TimeUnit.SECONDS)
            .port();
  }

  private void writeForEver(Answer.Sink sink) {
    Buffer piece = Buffer.buffer(new byte[1 << 20]);
    while (true) {
      sink.write(piece);
    }
  }

  @AfterEach
  void close() throws Exception {
    readers.forEach(RawClient::close);
    vertx.close().await(20, TimeUnit.SECONDS);
  }

  @Test
  void keepNobodyFromBeingAnswered() throws Exception {
    for (int i = 0; i < READERS; i++) {
      readers.add(RawClient.to(port).send("GET /endless HTTP/1.1\r\nhost: a\r\n\r\n"));
    }
    readers.forEach(reader -> reader.await("HTTP/1.1 200"));

    HttpResponse<Void> small =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/small")).build(),
                HttpResponse.BodyHandlers.discarding());
    assertThat(small.statusCode()).isEqualTo(204);
  }
}
