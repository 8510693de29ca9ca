package io.egress.platform.outage;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BackendWatchTest {
  private static final Duration PERIOD = Duration.ofMillis(100);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(1);

  /** A failure of it, and of no backend that another test of this process watches. */
  private static final class OwnException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private final Vertx vertx = Vertx.vertx();
  private final Promise<Void> first = Promise.promise();
  private final AtomicReference<Future<?>> answer = new AtomicReference<>(first.future());
  private BackendWatch watch;

  @BeforeEach
  void start() {
    watch =
        BackendWatch.start(
            vertx,
            "It",
            "reader",
            PERIOD,
            ANSWER_MAX,
            _ -> requireNonNull(answer.get()),
            OwnException.class::isInstance);
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
    await().until(() -> !watch.isUp());
    answer.set(Future.succeededFuture());
    await().until(() -> watch.isUp());

    answer.set(Future.failedFuture("refused"));
    await().until(() -> !watch.isUp());
  }

  /**
   * However many components meet it. One that fails although it answers is reported after a while.
   */
  @Test
  void oneCauseIsOneLine() {
    first.complete();
    await().until(() -> watch.isUp());
    Logger log = new LoggerContext().getLogger("a component");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    log.addAppender(lines);
    AtomicLong nanos = new AtomicLong();
    Outage component = new Outage(log, "cannot write", "writes again", nanos::get);
    Throwable own = new OwnException();

    component.failed(own);
    answer.set(Future.failedFuture("refused"));
    await().until(() -> !watch.isUp());
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(60));
    component.failed(own);
    assertThat(warnings(lines)).as("it is known to be away").isEmpty();

    component.failed(new IllegalStateException("of its own"));
    assertThat(warnings(lines)).containsExactly("cannot write: of its own");

    answer.set(Future.succeededFuture());
    await().until(() -> watch.isUp());
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(90));
    component.failed(own);
    assertThat(warnings(lines)).as("it answers").hasSize(2);
  }

  private static List<String> warnings(ListAppender<ILoggingEvent> lines) {
    return lines.list.stream()
        .filter(line -> line.getLevel() == Level.WARN)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Test
  void aQuestionThatTheEndCutsOffIsNoOutage() {
    Promise<Void> cutOff = Promise.promise();
    AtomicInteger asked = new AtomicInteger();
    BackendWatch ending =
        BackendWatch.start(
            vertx,
            "It",
            "reader",
            PERIOD,
            ANSWER_MAX,
            _ -> asked.getAndIncrement() == 0 ? Future.succeededFuture() : cutOff.future(),
            OwnException.class::isInstance);
    await().until(() -> asked.get() == 2);

    ending.close();
    cutOff.fail("closed");

    await().during(Duration.ofMillis(200)).until(ending::isUp);
  }
}
