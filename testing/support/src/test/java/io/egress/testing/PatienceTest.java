package io.egress.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PatienceTest {
  @Test
  void isThatOfAllTests() {
    AtomicLong millisLeft = new AtomicLong();
    await()
        .conditionEvaluationListener(met -> millisLeft.set(met.getRemainingTimeInMS()))
        .until(() -> true);

    assertThat(Duration.ofMillis(millisLeft.get()))
        .isBetween(Patience.MAX.minusSeconds(5), Patience.MAX);
  }
}
