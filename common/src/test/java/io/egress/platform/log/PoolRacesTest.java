package io.egress.platform.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.spi.FilterReply;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PoolRacesTest {
  private static final StackTraceElement IN_POOL =
      new StackTraceElement(
          "io.vertx.sqlclient.impl.pool.SqlConnectionPool$1PoolRequest",
          "lambda$onEnqueue$1",
          "SqlConnectionPool.java",
          259);

  private final LoggerContext context = new LoggerContext();

  @Test
  void aRequestForAConnectionThatIsCompletedTwiceIsNoError() {
    assertThat(decided(inPool(completedTwice()))).isEqualTo(FilterReply.DENY);
  }

  @Test
  void anythingElseIs() {
    assertThat(decided(completedTwice())).as("elsewhere").isEqualTo(FilterReply.NEUTRAL);
    assertThat(decided(inPool(new IllegalStateException("closed")))).isEqualTo(FilterReply.NEUTRAL);
    assertThat(decided(null)).isEqualTo(FilterReply.NEUTRAL);
  }

  /** As Vert.x throws it. */
  private static IllegalStateException completedTwice() {
    Promise<Void> promise = Promise.promise();
    promise.complete();
    try {
      promise.fail("Timeout");
      throw new AssertionError("it may be completed twice");
    } catch (IllegalStateException thrown) {
      return thrown;
    }
  }

  private static IllegalStateException inPool(IllegalStateException thrown) {
    StackTraceElement[] frames = thrown.getStackTrace();
    frames[frames.length - 1] = IN_POOL;
    thrown.setStackTrace(frames);
    return thrown;
  }

  private FilterReply decided(@Nullable Throwable thrown) {
    return new PoolRaces()
        .decide(
            new LoggingEvent(
                "", context.getLogger("vertx"), Level.ERROR, "Unhandled exception", thrown, null));
  }
}
