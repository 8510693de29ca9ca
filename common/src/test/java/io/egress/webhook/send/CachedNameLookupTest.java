package io.egress.webhook.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CachedNameLookupTest {
  private static final Duration KEEP = Duration.ofSeconds(5);
  private static final List<InetAddress> HERE = List.of(InetAddress.getLoopbackAddress());

  private final List<Promise<List<InetAddress>>> asked = new ArrayList<>();
  private long nowNanos = Long.MAX_VALUE - 1_000;
  private final CachedNameLookup lookup =
      new CachedNameLookup(
          _ -> {
            Promise<List<InetAddress>> promise = Promise.promise();
            asked.add(promise);
            return promise.future();
          },
          KEEP,
          () -> nowNanos);

  @Test
  void looksUpOnceForAllWaiters() {
    Future<List<InetAddress>> first = lookup.addressesOf("a.test");
    nowNanos += KEEP.multipliedBy(10).toNanos();
    Future<List<InetAddress>> second = lookup.addressesOf("a.test");
    asked.get(0).complete(HERE);

    assertThat(asked).hasSize(1);
    assertThat(first.result()).isEqualTo(HERE);
    assertThat(second.result()).isEqualTo(HERE);
  }

  @Test
  void cachesAnAnswerFromItsArrival() {
    lookup.addressesOf("a.test");
    nowNanos += KEEP.toNanos();
    asked.get(0).complete(HERE);
    nowNanos += KEEP.toNanos() - 1;
    assertThat(lookup.addressesOf("a.test").result()).isEqualTo(HERE);
    assertThat(asked).hasSize(1);

    nowNanos += 1;
    lookup.addressesOf("a.test");
    assertThat(asked).hasSize(2);
  }

  @Test
  void cachesNamesSeparately() {
    lookup.addressesOf("a.test");
    lookup.addressesOf("b.test");

    assertThat(asked).hasSize(2);
  }

  @Test
  void doesNotCacheFailures() {
    lookup.addressesOf("a.test");
    asked.get(0).fail(new UnknownHostException("a.test"));
    lookup.addressesOf("a.test");

    assertThat(asked).hasSize(2);
  }
}
