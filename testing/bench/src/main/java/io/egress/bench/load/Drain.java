package io.egress.bench.load;

import io.egress.standalone.demo.SampleConversations;
import io.egress.standalone.run.ChildProcess;
import io.egress.transcript.document.Fragment;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Measures how fast a backlog is delivered. The backlog is in Kafka before a dispatcher starts; the
 * first deliveries warm it up and are not counted.
 */
final class Drain {
  /** Longer than the first retry delay: a few retries must not end a measurement. */
  static final Duration STALL_MAX = Duration.ofSeconds(100);

  static final int SEGMENTS_OF_20_KB = 63;
  private static final int SAMPLES = 50;
  private static final long LOOK_MILLIS = 200;

  private final PushStage stage;
  private final List<Fragment> samples;

  Drain(PushStage stage) {
    this.stage = stage;
    this.samples = samples(stage);
  }

  /**
   * Each {@code healthy} endpoint gets this many; counting starts after {@code warmUp} deliveries
   * in all.
   */
  record Amount(int healthy, int each, int warmUp) {
    int total() {
      return healthy * each;
    }

    /** Warms up for at least this long: HotSpot compiles for more than a minute. */
    static Amount of(int deliveries, int warmUp, int healthy) {
      int each = (int) Math.ceil(((double) deliveries + warmUp) / healthy);
      return new Amount(healthy, each, healthy * each - deliveries);
    }
  }

  PushResult run(String name, PushEndpoints endpoints, Amount amount) throws InterruptedException {
    return run(name, endpoints, amount, 1);
  }

  /** The same, with so many captures in each webhook. */
  PushResult run(String name, PushEndpoints endpoints, Amount amount, int captures)
      throws InterruptedException {
    fill(endpoints.workspaces(), amount.each() * captures);
    AttemptLog attempts = new AttemptLog(stage.history().pool());
    attempts.begin();
    Arrivals arrivals = stage.receiver().begin();
    try (ChildProcess dispatcher = stage.dispatcher(name)) {
      await(arrivals, amount.warmUp() + 1, dispatcher);
      ProcessorTime time = stage.processorTime(dispatcher);
      await(arrivals, amount.total(), dispatcher);
      var seconds = time.end();
      return PushResult.of(
          stage,
          PushResult.Rate.of(arrivals, amount.warmUp(), amount.total()),
          arrivals,
          seconds,
          attempts.settled(),
          dispatcher);
    }
  }

  /** Queues this many captures of each workspace in Kafka, and waits until they are there. */
  void fill(List<UUID> workspaces, int each) throws InterruptedException {
    long start = System.nanoTime();
    stage.history().fillOwed(workspaces, each, samples);
    while (stage.history().owed() > 0) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    stage.history().settle();
    System.err.printf(
        "  a backlog of %,d captures from %d workspaces is in Kafka after %.0f s%n",
        (long) each * workspaces.size(), workspaces.size(), (System.nanoTime() - start) / 1e9);
  }

  static void await(Arrivals arrivals, int count, ChildProcess dispatcher)
      throws InterruptedException {
    if (!arrivals.await(count, STALL_MAX)) {
      throw new IllegalStateException(
          "nothing arrived for %d s, %,d of %,d are there; the end of the dispatcher's output:%n%s"
              .formatted(STALL_MAX.toSeconds(), arrivals.count(), count, dispatcher.lastWords()));
    }
  }

  /** Documents rendered by the service, of captures that went through its hook. */
  private static List<Fragment> samples(PushStage stage) {
    UUID workspace = UUID.randomUUID();
    SampleConversations conversations = new SampleConversations(1, workspace);
    for (int i = 0; i < SAMPLES; i++) {
      JsonObject capture = conversations.next(SEGMENTS_OF_20_KB);
      stage.api().call("PUT", "/captures/" + UUID.randomUUID(), capture);
    }
    return stage.history().documents(workspace);
  }
}
