package io.egress.webhook.deliverylog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LatenciesTest {
  @Test
  void percentilesAreTheEndsOfTheirBuckets() {
    Latencies latencies = new Latencies();
    for (int i = 0; i < 98; i++) {
      latencies.add(Duration.ofMillis(30));
    }
    latencies.add(Duration.ofMillis(399));
    latencies.add(Duration.ofMillis(400));

    assertThat(latencies.total()).isEqualTo(100);
    assertThat(Latencies.end(latencies.bucket(0.5))).isEqualTo(40);
    assertThat(Latencies.end(latencies.bucket(0.98))).isEqualTo(40);
    assertThat(Latencies.end(latencies.bucket(0.99))).isEqualTo(400);
    assertThat(Latencies.end(latencies.bucket(1))).isEqualTo(630);
  }

  @Test
  void theFirstBucketHasNoBeginAndTheLastNoEnd() {
    Latencies fast = new Latencies();
    fast.add(Duration.ZERO);
    Latencies slow = new Latencies();
    slow.add(Duration.ofMinutes(5));

    assertThat(fast.bucket(0.99)).isZero();
    assertThat(slow.bucket(0.5)).isEqualTo(Latencies.BUCKETS - 1);
    assertThat(Latencies.end(slow.bucket(0.5))).isNull();
    fast.add(slow);
    assertThat(Latencies.of(stored(fast)).bucket(0.5)).isZero();
    assertThat(Latencies.of(stored(fast)).bucket(0.99)).isEqualTo(Latencies.BUCKETS - 1);
    assertThatThrownBy(() -> new Latencies().bucket(0.5)).isInstanceOf(IllegalStateException.class);
  }

  private static Integer[] stored(Latencies latencies) {
    String literal = latencies.literal();
    return Stream.of(literal.substring(1, literal.length() - 1).split(",", -1))
        .map(Integer::valueOf)
        .toArray(Integer[]::new);
  }
}
