package io.egress.platform.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.egress.platform.outage.Outage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RecurringTest {
  private static final Duration OFTEN = Duration.ofMillis(5);
  private static final Duration NEVER = Duration.ofHours(1);

  private final Vertx vertx = Vertx.vertx();
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final AtomicInteger runs = new AtomicInteger();
  private final Semaphore mayEnd = new Semaphore(0);
  private Outage outage;

  @BeforeEach
  void listen() {
    Logger log = new LoggerContext().getLogger("test");
    logged.list = new CopyOnWriteArrayList<>();
    logged.start();
    log.addAppender(logged);
    outage = new Outage(log, "it fails", "it works");
  }

  @AfterEach
  void close() throws Exception {
    vertx.close().await(30, TimeUnit.SECONDS);
  }

  @Test
  void runsOnVirtualThreadsAtOnceAndAtTheInterval() {
    List<Boolean> virtual = new CopyOnWriteArrayList<>();
    Recurring.Work work = () -> virtual.add(Thread.currentThread().isVirtual());
    Recurring once = new Recurring(vertx, "test", work).nowAndEvery(NEVER);
    await().until(() -> virtual.size() == 1);
    once.close();

    Recurring often = new Recurring(vertx, "test", work).every(OFTEN);
    await().until(() -> virtual.size() >= 4);
    often.close();

    assertThat(virtual).containsOnly(true);
  }

  @Test
  void runsOneAtATimeAndOnceMoreIfAskedMeanwhile() {
    Recurring recurring = new Recurring(vertx, "test", this::runUntilAllowed).nowAndEvery(NEVER);
    await().until(() -> runs.get() == 1);
    for (int i = 0; i < 10; i++) {
      recurring.ask();
    }
    assertThat(runs).hasValue(1);

    mayEnd.release(2);

    await().until(() -> runs.get() == 2 && mayEnd.availablePermits() == 0);
    recurring.ask();
    await().until(() -> runs.get() == 3);
    mayEnd.release();
    recurring.close();
  }

  @Test
  void skipsTheIntervalDuringARun() {
    CountDownLatch ticked = new CountDownLatch(3);
    Recurring recurring = new Recurring(vertx, "test", this::runUntilAllowed).every(OFTEN);
    await().until(() -> runs.get() == 1);
    vertx.setPeriodic(2 * OFTEN.toMillis(), _ -> ticked.countDown());
    await().until(() -> ticked.getCount() == 0);

    recurring.close();
    mayEnd.release();

    await().during(4 * OFTEN.toMillis(), TimeUnit.MILLISECONDS).until(() -> runs.get() == 1);
  }

  @Test
  void reportsTheFailureOfARunAndRepeatsIt() {
    Recurring recurring =
        new Recurring(
                vertx,
                "test",
                () -> {
                  if (runs.incrementAndGet() == 1) {
                    throw new IllegalStateException("refused");
                  }
                })
            .reporting(outage)
            .nowAndEvery(OFTEN);

    await().until(() -> lines().contains("it works"));
    recurring.close();
    assertThat(lines()).containsExactly("it fails: refused", "it works");
  }

  @Test
  void waitsForAFutureThatALambdaOrAMethodReturns() {
    Promise<Void> first = Promise.promise();
    Recurring ofLambda =
        new Recurring(vertx, "test", () -> first.future()).reporting(outage).nowAndEvery(OFTEN);
    Future<Void> stopped = ofLambda.stop();
    assertThat(stopped.isComplete()).isFalse();
    first.fail("refused");
    await().until(stopped::succeeded);
    assertThat(lines()).singleElement().asString().startsWith("it fails").endsWith("refused");

    Recurring ofMethod =
        new Recurring(vertx, "test", this::failing).reporting(outage).nowAndEvery(NEVER);
    await().until(() -> lines().size() == 2);
    ofMethod.close();
  }

  @Test
  void stopsWhenTheCurrentRunHasEnded() {
    Recurring recurring = new Recurring(vertx, "test", this::runUntilAllowed).nowAndEvery(OFTEN);
    await().until(() -> runs.get() == 1);
    recurring.ask();

    Future<Void> stopped = recurring.stop();
    Future<Void> again = recurring.stop();
    assertThat(stopped.isComplete()).isFalse();
    mayEnd.release();

    await().until(() -> stopped.succeeded() && again.succeeded());
    assertThat(recurring.stop().succeeded()).isTrue();
    assertThat(runs).hasValue(1);
  }

  private void runUntilAllowed() {
    runs.incrementAndGet();
    mayEnd.acquireUninterruptibly();
  }

  private Future<Integer> failing() {
    return Future.failedFuture("refused");
  }

  private List<String> lines() {
    return logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }
}
