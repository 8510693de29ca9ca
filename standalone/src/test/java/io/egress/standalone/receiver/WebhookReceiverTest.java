package io.egress.standalone.receiver;

import static io.egress.standalone.receiver.SampleWebhook.SECRET;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.standalone.receiver.WebhookReceiver.Answering;
import io.egress.standalone.receiver.WebhookReceiver.Arrival;
import io.egress.standalone.receiver.WebhookVerifier.Verdict;
import io.egress.standalone.receiver.WebhookVerifier.Verdict.Genuine;
import io.egress.webhook.endpoint.AddressPolicy;
import io.egress.webhook.endpoint.CidrBlock;
import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.send.Envelope;
import io.egress.webhook.send.NameLookup;
import io.egress.webhook.send.Outcome;
import io.egress.webhook.send.SendRequest;
import io.egress.webhook.send.SenderSettings;
import io.egress.webhook.send.TrustedAuthorities;
import io.egress.webhook.send.WebhookSender;
import io.egress.webhook.send.WebhookSignature;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The receiver over real HTTPS, with the certificate it makes. */
class WebhookReceiverTest {
  private static final long PATIENCE_SECONDS = 20;

  private static final LocalCertificate CERTIFICATE = LocalCertificate.make();

  private final Vertx vertx = Vertx.vertx();
  private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
  private final WebhookReceiver receiver =
      await(WebhookReceiver.start(vertx, CERTIFICATE, arrivals::add));
  private final HttpClientAgent client =
      vertx.createHttpClient(
          new HttpClientOptions()
              .setSsl(true)
              .setTrustOptions(new PemTrustOptions().addCertPath(CERTIFICATE.pem().toString())));

  @AfterEach
  void close() {
    await(vertx.close());
  }

  @AfterAll
  static void deleteCertificate() throws IOException {
    CERTIFICATE.close();
  }

  @Test
  void acceptsVerifiedWebhooks() throws Exception {
    receiver.add("healthy", SECRET, Answering.healthy());
    SampleWebhook webhook = SampleWebhook.signedAt(Instant.now());

    assertThat(post("healthy", webhook)).isEqualTo(200);

    Arrival arrival = arrival();
    assertThat(arrival.endpoint()).isEqualTo("healthy");
    assertThat(((Genuine) arrival.verdict()).deliveryId()).isEqualTo(webhook.deliveryId());
    assertThat(arrival.attempt()).isEqualTo(1);
    assertThat(arrival.recovered()).isFalse();
  }

  @Test
  void refusesUnverifiedWebhooks() throws Exception {
    receiver.add("healthy", SECRET, Answering.healthy());
    Instant now = Instant.now();
    SampleWebhook webhook = SampleWebhook.signedAt(now);

    assertRefused(webhook.withBody(webhook.body() + " "), "does not match");
    assertRefused(webhook.withBody(""), "does not match");
    assertRefused(webhook.signed("whsec_another", now), "does not match");
    assertRefused(webhook.signed(SECRET, now.minus(Duration.ofMinutes(6))), "s old");
    assertRefused(webhook.without("x-service-signature"), "is missing");
  }

  @Test
  void doesNotCountAForgeryAsAnAttempt() throws Exception {
    receiver.add("flaky", SECRET, Answering.failingAtFirst(1, 1));
    SampleWebhook webhook = SampleWebhook.signedAt(Instant.now());
    post("flaky", webhook.signed("whsec_another", Instant.now()));

    assertThat(post("flaky", webhook)).isEqualTo(503);
    assertThat(post("flaky", webhook)).isEqualTo(200);
  }

  @Test
  void failsTheFirstAttemptsOfTheFirstDeliveriesAndRecovers() throws Exception {
    receiver.add("flaky", SECRET, Answering.failingAtFirst(2, 2));
    SampleWebhook first = SampleWebhook.signedAt(Instant.now());
    SampleWebhook second = SampleWebhook.signedAt(Instant.now());
    SampleWebhook third = SampleWebhook.signedAt(Instant.now());

    assertThat(post("flaky", first)).isEqualTo(503);
    assertThat(post("flaky", second)).isEqualTo(503);
    assertThat(post("flaky", first)).isEqualTo(503);
    assertThat(post("flaky", third)).as("the third delivery").isEqualTo(200);
    assertThat(post("flaky", first)).as("the third attempt").isEqualTo(200);
    assertThat(post("flaky", first)).as("a repetition").isEqualTo(200);

    assertThat(List.copyOf(arrivals))
        .extracting(Arrival::attempt)
        .containsExactly(1, 1, 2, 1, 3, 4);
    assertThat(List.copyOf(arrivals))
        .extracting(Arrival::recovered)
        .containsExactly(false, false, false, false, true, false);
    assertThat(List.copyOf(arrivals)).filteredOn(Arrival::accepted).hasSize(2);
  }

  @Test
  void answers404ForOtherPaths() throws Exception {
    receiver.add("healthy", SECRET, Answering.healthy());

    assertThat(post("another", SampleWebhook.signedAt(Instant.now()))).isEqualTo(404);
    assertThat(arrivals).isEmpty();
  }

  @Test
  void isReachedByTheServicesSender() throws Exception {
    receiver.add("healthy", SECRET, Answering.healthy());
    Envelope envelope =
        Envelope.compose(
            UUID.randomUUID(),
            Instant.now(),
            "{\"title\":\"Grüße\",\"emitted_at\":\"".getBytes(UTF_8));
    long now = Instant.now().getEpochSecond();
    SendRequest request =
        new SendRequest(
            UUID.randomUUID(),
            ((EndpointUrl.Parsed.Valid) EndpointUrl.parse(receiver.url("healthy"), false)).url(),
            envelope,
            new WebhookSignature(List.of(SECRET)),
            now);

    Outcome outcome = await(sender().send(request).outcome());

    assertThat(outcome).isInstanceOf(Outcome.Delivered.class);
    assertThat(((Genuine) arrival().verdict()).deliveryId()).isEqualTo(envelope.deliveryId());
  }

  @Test
  void leavesNoCertificateBehind() throws Exception {
    LocalCertificate another = LocalCertificate.make();
    Path folder = another.pem().getParent();
    assertThat(folder).isDirectory();

    another.close();

    assertThat(Files.exists(folder)).isFalse();
  }

  private WebhookSender sender() {
    AddressPolicy loopback = new AddressPolicy(CidrBlock.parseList("127.0.0.0/8,::1/128"));
    return new WebhookSender(
        vertx,
        SenderSettings.DEFAULTS,
        loopback,
        NameLookup.using(vertx),
        TrustedAuthorities.load(CERTIFICATE.pem()));
  }

  private void assertRefused(SampleWebhook webhook, String reason) throws Exception {
    assertThat(post("healthy", webhook)).isEqualTo(400);
    assertThat(((Verdict.Refused) arrival().verdict()).reason()).contains(reason);
  }

  private Arrival arrival() throws InterruptedException {
    Arrival arrival = arrivals.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(arrival).isNotNull();
    return arrival;
  }

  private int post(String name, SampleWebhook webhook) throws Exception {
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setAbsoluteURI(receiver.url(name))
            .setHeaders(webhook.headers());
    return await(
        client
            .request(options)
            .compose(request -> request.send(webhook.body()))
            .compose(response -> response.end().map(_ -> response.statusCode())));
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (Exception failure) {
      throw new AssertionError("the future failed or did not complete", failure);
    }
  }
}
