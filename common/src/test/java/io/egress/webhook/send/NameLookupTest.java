package io.egress.webhook.send;

import static io.egress.webhook.send.SenderHarness.addresses;
import static io.egress.webhook.send.SenderHarness.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class NameLookupTest {
  private final Map<String, List<InetAddress>> zone = new ConcurrentHashMap<>();
  private final TestNameServer server =
      new TestNameServer(name -> zone.getOrDefault(name, List.of()));
  private final Vertx vertx =
      Vertx.vertx(
          new VertxOptions()
              .setAddressResolverOptions(new AddressResolverOptions().addServer(server.address())));
  private final NameLookup lookup = NameLookup.using(vertx);

  @AfterEach
  void close() {
    await(vertx.close());
    server.close();
  }

  @Test
  void returnsEveryAddressOfAName() {
    zone.put("many.test", addresses("93.184.215.14", "10.0.0.1", "93.184.215.15"));

    assertThat(await(lookup.addressesOf("many.test")))
        .extracting(InetAddress::getHostAddress)
        .containsExactlyInAnyOrder("93.184.215.14", "10.0.0.1", "93.184.215.15");
  }

  @Test
  void cachesNoAnswerBeyondItsTtl() {
    zone.put("rebound.test", addresses("93.184.215.14"));
    assertThat(await(lookup.addressesOf("rebound.test"))).hasSize(1);
    zone.put("rebound.test", addresses("10.0.0.1", "10.0.0.2"));

    // A question that is still being settled is shared, so the very next one may get its answer
    // too.
    Awaitility.await()
        .untilAsserted(() -> assertThat(await(lookup.addressesOf("rebound.test"))).hasSize(2));
  }

  @Test
  void failsForANameThatDoesNotExist(VertxTestContext context) {
    lookup
        .addressesOf("nowhere.test")
        .onComplete(
            context.failing(failure ->
                context.verify(() -> {
                  AttemptFailure breakage = AttemptFailure.ofLookup(failure);
                  assertThat(breakage.kind()).isEqualTo(FailureKind.DNS);
                  assertThat(breakage.detail()).contains("nowhere.test");
                  context.completeNow();
                })));
  }
}
