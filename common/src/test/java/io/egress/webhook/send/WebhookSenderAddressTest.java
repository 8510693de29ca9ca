package io.egress.webhook.send;

import static io.egress.webhook.send.SenderHarness.addresses;
import static io.egress.webhook.send.SenderHarness.await;
import static io.egress.webhook.send.SenderHarness.envelope;
import static io.egress.webhook.send.SenderHarness.url;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.endpoint.AddressPolicy;
import io.egress.webhook.endpoint.CidrBlock;
import io.egress.webhook.send.Outcome.Delivered;
import io.egress.webhook.send.Outcome.Failed;
import io.egress.webhook.send.SenderSettings.PoolLimits;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.NetServerOptions;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookSenderAddressTest {
  private static final AddressPolicy LOOPBACK_ALLOWED =
      new AddressPolicy(CidrBlock.parseList("127.0.0.0/8,::1"));

  private final SenderHarness harness = new SenderHarness();
  private final AtomicInteger requests = new AtomicInteger();
  private final int port =
      harness.httpsReceiver(
          false,
          request -> {
            requests.incrementAndGet();
            request.response().end();
          });

  @AfterEach
  void close() {
    harness.close();
  }

  @Test
  void reportsANameThatDoesNotResolve() {
    Failed failed = harness.sendFailed(url("https://nowhere.test:" + port + "/"));

    assertThat(failed.kind()).isEqualTo(FailureKind.DNS);
    assertThat(failed.detail()).contains("nowhere.test");
  }

  @Test
  void reportsANameWithoutAddresses() {
    harness.names.put("empty.test", List.of());

    assertThat(harness.sendFailed(url("https://empty.test/")).kind()).isEqualTo(FailureKind.DNS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"10.0.0.1", "169.254.169.254", "::ffff:192.168.0.1", "fd00::1", "64:ff9b::a00:1"})
  void refusesAnAddressThatIsNotPublic(String address) {
    harness.names.put("inside.test", addresses(address));

    Failed failed = harness.sendFailed(url("https://inside.test/"));

    assertThat(failed.kind()).isEqualTo(FailureKind.BLOCKED_ADDRESS);
    assertThat(failed.detail()).startsWith("inside.test: ");
  }

  @Test
  void refusesAnAddressWrittenIntoTheUrl() {
    assertThat(harness.sendFailed(url("https://10.0.0.1/")).kind())
        .isEqualTo(FailureKind.BLOCKED_ADDRESS);
    assertThat(harness.sendFailed(url("https://[fd00::1]/")).kind())
        .isEqualTo(FailureKind.BLOCKED_ADDRESS);
  }

  @Test
  void refusesANameOfWhichOneAddressIsNotPublic() {
    harness.names.put(SenderHarness.NAME, addresses("127.0.0.1", "10.0.0.1"));

    assertThat(harness.sendFailed(url(port)).kind()).isEqualTo(FailureKind.BLOCKED_ADDRESS);
    assertThat(requests).hasValue(0);
  }

  /** Although the connection of the first time is still open. */
  @Test
  void refusesDnsRebindingToAPrivateAddress() {
    Deque<List<InetAddress>> answers =
        new ArrayDeque<>(List.of(addresses("127.0.0.1"), addresses("192.168.1.1")));
    WebhookSender rebound = senderWith(_ -> Future.succeededFuture(answers.remove()));

    assertThat(send(rebound)).isInstanceOf(Delivered.class);
    assertThat(send(rebound))
        .isInstanceOfSatisfying(
            Failed.class,
            failed -> assertThat(failed.kind()).isEqualTo(FailureKind.BLOCKED_ADDRESS));
    assertThat(requests).hasValue(1);
    await(rebound.close());
  }

  @Test
  void checksACachedNameOnEveryUse() {
    AtomicInteger lookups = new AtomicInteger();
    WebhookSender sender =
        harness.newSender(
            SenderSettings.DEFAULTS,
            LOOPBACK_ALLOWED,
            _ -> {
              lookups.incrementAndGet();
              return Future.succeededFuture(addresses("10.0.0.1"));
            });

    for (int i = 0; i < 5; i++) {
      assertThat(send(sender)).isInstanceOf(Failed.class);
    }

    assertThat(lookups).hasValue(1);
    await(sender.close());
  }

  @Test
  void abandonsALookupAtTheDeadline() {
    WebhookSender sender =
        harness.newSender(
            new SenderSettings(Duration.ofMillis(50), Duration.ZERO, PoolLimits.DEFAULTS),
            LOOPBACK_ALLOWED,
            _ -> Promise.<List<InetAddress>>promise().future());

    assertThat(send(sender))
        .isInstanceOfSatisfying(
            Failed.class,
            failed -> {
              assertThat(failed.kind()).isEqualTo(FailureKind.TIMEOUT);
              assertThat(failed.detail()).endsWith("looking up the name");
            });
    await(sender.close());
  }

  @Test
  void triesTheNextAddressIfOneRefuses() {
    harness.names.put(SenderHarness.NAME, addresses("127.0.0.2", "127.0.0.3", "127.0.0.1"));

    harness.sendDelivered(url(port));
    assertThat(requests).hasValue(1);
  }

  @Test
  void triesTheNextAddressIfOneHangs() {
    AtomicInteger hanging = new AtomicInteger();
    harness.netServer(
        new NetServerOptions().setHost("127.0.0.2").setPort(port), _ -> hanging.incrementAndGet());
    harness.sendDelivered(url(port));
    WebhookSender sender =
        harness.newSender(
            new SenderSettings(Duration.ofSeconds(4), Duration.ZERO, PoolLimits.DEFAULTS),
            LOOPBACK_ALLOWED,
            _ -> Future.succeededFuture(addresses("127.0.0.2", "127.0.0.1")));

    assertThat(send(sender)).isInstanceOf(Delivered.class);
    assertThat(send(sender)).isInstanceOf(Delivered.class);
    assertThat(hanging).describedAs("the address that is connected comes first").hasValue(1);
    await(sender.close());
  }

  /** The name that an address was found by is no part of what makes a connection its own. */
  @Test
  void followsAnAddressChange() throws UnknownHostException {
    AtomicInteger elsewhere = new AtomicInteger();
    harness.netServer(
        new NetServerOptions()
            .setSsl(true)
            .setKeyCertOptions(harness.certificate)
            .setHost("127.0.0.2")
            .setPort(port),
        socket ->
            socket.handler(_ -> {
              elsewhere.incrementAndGet();
              socket.write(CountingReceivers.OK);
            }));
    Deque<List<InetAddress>> answers = new ArrayDeque<>(List.of(named(1), named(2)));
    WebhookSender sender = senderWith(_ -> Future.succeededFuture(answers.remove()));

    assertThat(send(sender)).isInstanceOf(Delivered.class);
    assertThat(elsewhere).hasValue(0);
    assertThat(send(sender)).isInstanceOf(Delivered.class);
    assertThat(elsewhere).hasPositiveValue();
    await(sender.close());
  }

  @Test
  void triesOnlyAFewAddresses() {
    harness.names.put(
        SenderHarness.NAME,
        addresses("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.1"));

    assertThat(harness.sendFailed(url(port)).kind()).isEqualTo(FailureKind.CONNECT);
  }

  @Test
  void reachesAnAddressOfIpv6() {
    HttpServerOptions options =
        new HttpServerOptions().setSsl(true).setKeyCertOptions(harness.certificate).setHost("::1");
    int ipv6Port =
        await(
                harness
                    .vertx
                    .createHttpServer(options.setPort(0))
                    .requestHandler(
                        request -> request.response().end(request.authority().toString()))
                    .listen())
            .actualPort();

    assertThat(harness.sendDelivered(url("https://[::1]:" + ipv6Port + "/")).answerStart())
        .hasToString("[::1]:" + ipv6Port);
  }

  @Test
  void readsTheHostsFile() {
    WebhookSender sender = senderWith(NameLookup.using(harness.vertx));
    int plainPort =
        harness.plainReceiver(
            socket -> socket.handler(_ -> socket.write("HTTP/1.1 204 No Content\r\n\r\n")));

    Sending sending =
        harness.start(
            sender, harness.endpointId, url("http://localhost:" + plainPort + "/"), envelope("x"));

    assertThat(await(sending.outcome())).isInstanceOf(Delivered.class);
    await(sender.close());
  }

  private static List<InetAddress> named(int last) throws UnknownHostException {
    byte[] address = {127, 0, 0, (byte) last};
    return List.of(InetAddress.getByAddress(SenderHarness.NAME, address));
  }

  private WebhookSender senderWith(NameLookup lookup) {
    return harness.newSender(
        new SenderSettings(SenderHarness.AMPLE_TIMEOUT, Duration.ZERO, PoolLimits.DEFAULTS),
        LOOPBACK_ALLOWED,
        lookup);
  }

  private Outcome send(WebhookSender sender) {
    return await(harness.start(sender, harness.endpointId, url(port), envelope("x")).outcome());
  }
}
