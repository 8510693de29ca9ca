package io.egress.webhook.send;

import static io.egress.webhook.send.SenderHarness.EVENT_LOOPS;
import static io.egress.webhook.send.SenderHarness.await;
import static io.egress.webhook.send.SenderHarness.envelope;
import static io.egress.webhook.send.SenderHarness.url;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.endpoint.AddressPolicy;
import io.egress.webhook.endpoint.CidrBlock;
import io.egress.webhook.send.Outcome.Delivered;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.Checkpoint;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class WebhookSenderLoopsTest {
  private final SenderHarness harness = new SenderHarness();
  private final Map<String, Set<Thread>> askedOn = new ConcurrentHashMap<>();
  private final int port =
      harness.plainReceiver(socket -> socket.handler(_ -> socket.write(CountingReceivers.OK)));
  private final WebhookSender sender =
      harness.newSender(
          new SenderSettings(Duration.ofSeconds(10), Duration.ZERO, SenderSettings.DEFAULTS.pool()),
          new AddressPolicy(CidrBlock.parseList("127.0.0.0/8")),
          host -> {
            askedOn
                .computeIfAbsent(host, _ -> ConcurrentHashMap.newKeySet())
                .add(Thread.currentThread());
            return Future.succeededFuture(SenderHarness.addresses("127.0.0.1"));
          });

  @AfterEach
  void close() {
    await(sender.close());
    harness.close();
  }

  @Test
  void sendsToAnEndpointOnOneEventLoopAndToAllEndpointsOnAllOfThem() {
    for (UUID endpoint : endpoints(4 * EVENT_LOOPS).toList()) {
      for (int n = 0; n < 3; n++) {
        assertThat(await(start(endpoint).outcome())).isInstanceOf(Delivered.class);
      }
    }

    assertThat(askedOn).hasSize(4 * EVENT_LOOPS);
    assertThat(askedOn.values()).allSatisfy(threads -> assertThat(threads).hasSize(1));
    assertThat(askedOn.values().stream().flatMap(Set::stream).collect(toSet()))
        .hasSize(EVENT_LOOPS)
        .allSatisfy(thread -> assertThat(thread.getName()).contains("eventloop"));
  }

  @Test
  void completesOnTheCallersContext(VertxTestContext test) {
    Context caller = harness.vertx.getOrCreateContext();
    Checkpoint told = test.checkpoint(2 * EVENT_LOOPS);
    caller.runOnContext(_ ->
        endpoints(2 * EVENT_LOOPS)
            .forEach(endpoint ->
                start(endpoint)
                    .outcome()
                    .onComplete(
                        test.succeeding(_ -> {
                          test.verify(() -> assertThat(Vertx.currentContext()).isSameAs(caller));
                          told.flag();
                        }))));
  }

  @Test
  void canBeAbortedFromAnotherThread() {
    int silent = harness.tlsReceiver(_ -> {});
    for (UUID endpoint : endpoints(2 * EVENT_LOOPS).toList()) {
      Sending sending = harness.start(sender, endpoint, url(silent), envelope("x"));

      sending.abort("enough");

      assertThat(await(sending.outcome())).isInstanceOf(Outcome.Aborted.class);
    }
    assertThat(await(start(UUID.randomUUID()).outcome())).isInstanceOf(Delivered.class);
  }

  private Sending start(UUID endpoint) {
    String host = "r" + endpoint.getLeastSignificantBits() + ".test";
    return harness.start(sender, endpoint, url("http://" + host + ":" + port + "/"), envelope("x"));
  }

  private static Stream<UUID> endpoints(int count) {
    return IntStream.range(0, count).mapToObj(n -> new UUID(0, n));
  }
}
