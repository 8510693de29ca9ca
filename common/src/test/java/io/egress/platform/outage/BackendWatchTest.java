package io.egress.platform.outage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BackendWatchTest {
  private static final Duration PERIOD = Duration.ofMillis(100);
  private static final Duration KNOWN_WITHIN = Duration.ofSeconds(7);

  private final Vertx vertx = Vertx.vertx();
  private final Promise<Void> first = Promise.promise();
  private final AtomicReference<Future<?>> answer = new AtomicReference<>(first.future());
  private BackendWatch watch;

  @BeforeEach
  void start() {
    watch = BackendWatch.start(vertx, "It", PERIOD, answer::get);
  }

  @AfterEach
  void close() throws Exception {
    watch.close();
    vertx.close().await(10, TimeUnit.SECONDS);
  }

  @Test
  void isDownUntilTheFirstAnswer() throws Exception {
    assertThat(watch.isUp()).isFalse();
    assertThat(watch.firstProbe().isComplete()).isFalse();

    first.complete();

    watch.firstProbe().await(10, TimeUnit.SECONDS);
    assertThat(watch.isUp()).isTrue();
  }

  @Test
  void isDownWithoutAnAnswerAndUpWithTheNextOne() {
    first.complete();
    await().until(() -> watch.isUp());

    answer.set(Promise.promise().future());
    await().atMost(KNOWN_WITHIN).until(() -> !watch.isUp());
    answer.set(Future.succeededFuture());
    await().atMost(KNOWN_WITHIN).until(() -> watch.isUp());

    answer.set(Future.failedFuture("refused"));
    await().atMost(KNOWN_WITHIN).until(() -> !watch.isUp());
  }

  @Test
  void aQuestionThatTheEndCutsOffIsNoOutage() {
    Promise<Void> cutOff = Promise.promise();
    AtomicInteger asked = new AtomicInteger();
    BackendWatch ending =
        BackendWatch.start(
            vertx,
            "It",
            PERIOD,
            () -> asked.getAndIncrement() == 0 ? Future.succeededFuture() : cutOff.future());
    await().until(() -> asked.get() == 2);

    ending.close();
    cutOff.fail("closed");

    await().during(Duration.ofMillis(200)).until(ending::isUp);
  }
}
