package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.endpoint.AddressPolicy;
import io.egress.webhook.endpoint.CidrBlock;
import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.send.Outcome.Delivered;
import io.egress.webhook.send.Outcome.Failed;
import io.egress.webhook.send.SenderSettings.PoolLimits;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A sender with a certificate authority and a name server of the test, and receivers on loopback
 * addresses.
 */
final class SenderHarness implements AutoCloseable {
  static final Duration AMPLE_TIMEOUT = Duration.ofSeconds(10);
  static final Duration SHORT_TIMEOUT = Duration.ofMillis(1_500);
  static final int EVENT_LOOPS = 3;
  static final String NAME = "receiver.test";
  static final String SECRET = "whsec_test";

  private static final long PATIENCE_SECONDS = 20;
  private static final AddressPolicy LOOPBACK_ALLOWED =
      new AddressPolicy(CidrBlock.parseList("127.0.0.0/8,::1"));

  final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(EVENT_LOOPS));
  final TestAuthority authority = new TestAuthority();
  final Map<String, List<InetAddress>> names = new ConcurrentHashMap<>();
  final UUID endpointId = UUID.randomUUID();
  final PemKeyCertOptions certificate = authority.issueFor(NAME, "127.0.0.1", "::1");
  final WebhookSender sender;

  SenderHarness() {
    this(PoolLimits.DEFAULTS);
  }

  SenderHarness(PoolLimits limits) {
    this(AMPLE_TIMEOUT, limits);
  }

  SenderHarness(Duration attemptTimeout, PoolLimits limits) {
    this(new SenderSettings(attemptTimeout, Duration.ofSeconds(5), limits), LOOPBACK_ALLOWED);
  }

  /** With a short deadline, after a delivery that has loaded the classes a first one needs. */
  static SenderHarness impatient() {
    return impatient(PoolLimits.DEFAULTS);
  }

  static SenderHarness impatient(PoolLimits limits) {
    SenderHarness harness = new SenderHarness(SHORT_TIMEOUT, limits);
    for (boolean http2 : new boolean[] {false, true}) {
      int port = harness.httpsReceiver(http2, request -> request.response().end());
      await(
          harness
              .start(harness.sender, UUID.randomUUID(), url(port), envelope("warm-up"))
              .outcome());
    }
    return harness;
  }

  SenderHarness(SenderSettings settings, AddressPolicy policy) {
    names.put(NAME, addresses("127.0.0.1"));
    sender = newSender(settings, policy, this::lookUp);
  }

  WebhookSender newSender(SenderSettings settings, AddressPolicy policy, NameLookup lookup) {
    try {
      Path folder = Files.createTempDirectory("authority");
      Path pem = authority.writePem(folder);
      WebhookSender made =
          new WebhookSender(vertx, settings, policy, lookup, TrustedAuthorities.load(pem));
      Files.delete(pem);
      Files.delete(folder);
      return made;
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** An HTTPS receiver, with HTTP/2 if {@code http2}; returns its port. */
  int httpsReceiver(boolean http2, Handler<HttpServerRequest> handler) {
    return httpsServer(new HttpServerOptions().setUseAlpn(http2), handler).actualPort();
  }

  int httpReceiver(Handler<HttpServerRequest> handler) {
    HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(0);
    return await(vertx.createHttpServer(options).requestHandler(handler).listen()).actualPort();
  }

  HttpServer httpsServer(HttpServerOptions options, Handler<HttpServerRequest> handler) {
    options.setSsl(true).setKeyCertOptions(certificate).setHost("127.0.0.1").setPort(0);
    return await(
        vertx.createHttpServer(options).exceptionHandler(_ -> {}).requestHandler(handler).listen());
  }

  /** A receiver that sends given bytes; returns its port. */
  int tlsReceiver(Handler<NetSocket> handler) {
    return netServer(new NetServerOptions().setSsl(true).setKeyCertOptions(certificate), handler);
  }

  int plainReceiver(Handler<NetSocket> handler) {
    return netServer(new NetServerOptions(), handler);
  }

  int netServer(NetServerOptions options, Handler<NetSocket> handler) {
    if (options.getHost().equals(NetServerOptions.DEFAULT_HOST)) {
      options.setHost("127.0.0.1");
    }
    return await(
            vertx
                .createNetServer(options)
                .exceptionHandler(_ -> {})
                .connectHandler(socket -> {
                  socket.exceptionHandler(_ -> {});
                  handler.handle(socket);
                })
                .listen())
        .actualPort();
  }

  static EndpointUrl url(String text) {
    return ((EndpointUrl.Parsed.Valid) EndpointUrl.parse(text, true)).url();
  }

  static EndpointUrl url(int port) {
    return url("https://" + NAME + ":" + port + "/hook?x=1");
  }

  static EndpointUrl plainUrl(int port) {
    return url("http://" + NAME + ":" + port + "/hook");
  }

  static Envelope envelope(String text) {
    String head = "{\"id\":\"" + text + "\",\"emitted_at\":\"";
    return Envelope.compose(UUID.randomUUID(), Instant.now(), head.getBytes(UTF_8));
  }

  Sending start(EndpointUrl url, Envelope envelope) {
    return start(sender, endpointId, url, envelope);
  }

  Sending start(WebhookSender by, UUID endpoint, EndpointUrl url, Envelope envelope) {
    long now = Instant.now().getEpochSecond();
    return by.send(new SendRequest(endpoint, url, envelope, newSignature(), now));
  }

  private static WebhookSignature newSignature() {
    return new WebhookSignature(List.of(SECRET));
  }

  Outcome send(EndpointUrl url) {
    return await(start(url, envelope("x")).outcome());
  }

  Delivered sendDelivered(EndpointUrl url) {
    Outcome outcome = send(url);
    assertThat(outcome).isInstanceOf(Delivered.class);
    return (Delivered) outcome;
  }

  Failed sendFailed(EndpointUrl url) {
    Outcome outcome = send(url);
    assertThat(outcome).isInstanceOf(Failed.class);
    return (Failed) outcome;
  }

  static List<InetAddress> addresses(String... literals) {
    return Arrays.stream(literals).map(SenderHarness::address).toList();
  }

  static <T> T await(Future<T> future) {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (Exception fault) {
      throw new AssertionError("the future failed or did not complete", fault);
    }
  }

  @Override
  public void close() {
    await(sender.close());
    await(vertx.close());
  }

  Future<List<InetAddress>> lookUp(String host) {
    List<InetAddress> found = names.get(host);
    return found == null
        ? Future.failedFuture(new UnknownHostException(host))
        : Future.succeededFuture(found);
  }

  private static InetAddress address(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException fault) {
      throw new IllegalArgumentException(fault);
    }
  }
}
