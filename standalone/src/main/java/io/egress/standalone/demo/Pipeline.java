package io.egress.standalone.demo;

import io.egress.cli.InternalApi;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Simulates the processing pipeline: finishes a capture every second. */
final class Pipeline {
  private static final int SEGMENTS = 12;
  private static final long PERIOD_SECONDS = 1;
  private static final long LAST_ONE_SECONDS_MAX = 5;
  private static final Duration ENDING = Duration.ofSeconds(1);
  private static final Duration LAST_ARRIVALS_MAX = Duration.ofSeconds(3);

  private final InternalApi api;
  private final SampleConversations samples;
  private final Journal journal;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

  Pipeline(InternalApi api, UUID workspace, Journal journal) {
    this.api = api;
    this.samples = new SampleConversations(Instant.now().getEpochSecond(), workspace);
    this.journal = journal;
  }

  void begin() {
    var _ = clock.scheduleAtFixedRate(this::finishOne, 0, PERIOD_SECONDS, TimeUnit.SECONDS);
  }

  /** Waits briefly for calls in progress, so that the summary is correct. */
  void end() throws InterruptedException {
    clock.shutdown();
    if (clock.awaitTermination(LAST_ONE_SECONDS_MAX, TimeUnit.SECONDS)) {
      journal.awaitArrivals(DemoReceiver.ENDPOINTS, LAST_ARRIVALS_MAX);
    }
  }

  /** While the JVM ends, its HTTP client cuts off a call in progress, perhaps before this does. */
  private boolean isEnding() {
    for (int i = 0; i < 10 && !clock.isShutdown(); i++) {
      LockSupport.parkNanos(ENDING.toNanos() / 10);
    }
    return clock.isShutdown();
  }

  private void finishOne() {
    JsonObject capture = samples.next(SEGMENTS);
    try {
      api.call("PUT", "/captures/" + UUID.randomUUID(), capture);
      journal.finished(capture.getString("title"));
    } catch (RuntimeException failure) {
      if (!isEnding()) {
        journal.notFinished(failure);
      }
    }
  }
}
