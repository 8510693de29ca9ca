package io.egress.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.receiver.LocalCertificate;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PushReceiverTest {
  private static final UUID FIRST = UUID.randomUUID();
  private static final UUID SECOND = UUID.randomUUID();

  private final Vertx vertx = Vertx.vertx();
  private final LocalCertificate certificate = LocalCertificate.make();

  @AfterEach
  void close() throws IOException {
    RunningProcess.await(vertx.close());
    certificate.close();
  }

  @Test
  void countsADeliveryOnceAndItsDuplicates() throws Exception {
    PushReceiver receiver = PushReceiver.start(vertx, certificate);
    HttpClient http =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setTrustOptions(new PemTrustOptions().addCertPath(certificate.pem().toString())));
    Arrivals arrivals = receiver.begin();
    long start = System.nanoTime();

    assertThat(post(http, receiver.url("/webhooks"), FIRST)).isEqualTo(204);
    assertThat(post(http, receiver.url("/webhooks"), SECOND)).isEqualTo(204);
    assertThat(post(http, receiver.url("/webhooks"), FIRST)).isEqualTo(204);

    assertThat(arrivals.await(2, Duration.ofSeconds(5))).isTrue();
    assertThat(arrivals.count()).isEqualTo(2);
    assertThat(arrivals.duplicates()).isEqualTo(1);
    assertThat(arrivals.meanBytes()).isEqualTo(4.0);
    Latencies latencies = arrivals.since(Map.of(FIRST, start, UUID.randomUUID(), start));
    assertThat(latencies.count()).as("what has not arrived is left out").isEqualTo(1);
    assertThat(latencies.percentileMillis(50)).isPositive();
  }

  @Test
  void noticesWhenNothingArrivesAnyMore() throws Exception {
    PushReceiver receiver = PushReceiver.start(vertx, null);
    Arrivals arrivals = receiver.begin();

    assertThat(arrivals.await(1, Duration.ofMillis(50))).isFalse();
  }

  private static int post(HttpClient http, String url, UUID delivery) {
    return RunningProcess.await(
        http.request(
                new RequestOptions()
                    .setMethod(HttpMethod.POST)
                    .setAbsoluteURI(url)
                    .putHeader("x-service-delivery", delivery.toString()))
            .compose(request -> request.send(Buffer.buffer("body")))
            .compose(response -> response.end().map(_ -> response.statusCode())));
  }
}
