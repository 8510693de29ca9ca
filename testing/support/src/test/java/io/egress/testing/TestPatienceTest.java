package io.egress.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

class TestPatienceTest {
  private static final AtomicReference<Optional<String>> TIME_LIMIT =
      new AtomicReference<>(Optional.empty());

  @RegisterExtension
  static final BeforeAllCallback CONFIGURATION =
      context -> TIME_LIMIT.set(context.getConfigurationParameter(TestPatience.TIME_LIMIT));

  @Test
  void isThatOfAllTests() {
    AtomicLong millisLeft = new AtomicLong();
    await()
        .conditionEvaluationListener(met -> millisLeft.set(met.getRemainingTimeInMS()))
        .until(() -> true);

    assertThat(Duration.ofMillis(millisLeft.get()))
        .isBetween(TestPatience.MAX.minusSeconds(5), TestPatience.MAX);
    assertThat(TIME_LIMIT.get()).hasValue(TestPatience.TIME_MAX);
  }
}
