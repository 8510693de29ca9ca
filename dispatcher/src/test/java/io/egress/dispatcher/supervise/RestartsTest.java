package io.egress.dispatcher.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.metrics.Metrics;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RestartsTest {
  private final Metrics metrics = new Metrics();
  private final Restarts restarts = new Restarts(metrics, "delivery");

  @AfterEach
  void close() {
    metrics.close();
  }

  /** A handover of a broker may stall a worker once or twice. */
  @Test
  void areRepeatedFromTheThirdOneInARowOn() {
    assertThat(restarts.areRepeated()).isFalse();
    restarts.stalled(Duration.ofSeconds(10));
    restarts.stalled(Duration.ofSeconds(10));
    assertThat(restarts.areRepeated()).isFalse();
    restarts.failed(new IllegalStateException("a test"));
    assertThat(restarts.areRepeated()).isTrue();
  }
}
