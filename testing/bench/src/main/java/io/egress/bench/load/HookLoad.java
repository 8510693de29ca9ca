package io.egress.bench.load;

import io.egress.standalone.demo.SampleConversations;
import io.egress.webhook.delivery.DeliveryId;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * Calls the hook at a pace that does not wait for responses, so that a slow service gets the same
 * load.
 */
final class HookLoad {
  /**
   * The calls made.
   *
   * @param startNanos when the hook was called, keyed by delivery id
   * @param lateMaxNanos how far the generator itself fell behind its pace
   */
  record Result(Map<UUID, Long> startNanos, Latencies hook, int refused, long lateMaxNanos) {
    int created() {
      return startNanos.size() - refused;
    }
  }

  private static final int CONNECTIONS = 64;
  private static final long ANSWERS_SECONDS_MAX = 120;
  private static final int BODIES_A_WORKSPACE = 4;
  private static final long FLOOD_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  private final PushStage stage;
  private final HttpClient http;
  private final Context context;
  private final LongSupplier clock = System::nanoTime;
  private final List<PushEndpoints.Made> endpoints;
  private final List<Buffer> bodies = new ArrayList<>();

  HookLoad(PushStage stage, List<PushEndpoints.Made> endpoints) {
    this.stage = stage;
    this.endpoints = List.copyOf(endpoints);
    this.context = stage.vertx().getOrCreateContext();
    this.http =
        stage
            .vertx()
            .createHttpClient(
                new HttpClientOptions().setKeepAlive(true).setDefaultHost("127.0.0.1"),
                new PoolOptions().setHttp1MaxSize(CONNECTIONS));
    for (PushEndpoints.Made endpoint : endpoints) {
      SampleConversations samples =
          new SampleConversations(endpoint.id().hashCode(), endpoint.workspace());
      for (int i = 0; i < BODIES_A_WORKSPACE; i++) {
        bodies.add(samples.next(Drain.SEGMENTS_OF_20_KB).toBuffer());
      }
    }
  }

  /** Returns once every call is answered. */
  Result run(int perSecond, int seconds) {
    long total = (long) perSecond * seconds;
    return run(perSecond, begun -> begun < total);
  }

  /**
   * The same, for as long as {@code wanted}, called with the number of calls so far, returns true.
   */
  Result run(double perSecond, LongPredicate wanted) {
    Run run = new Run();
    run.keepPace(perSecond, wanted);
    return run.awaitEnd();
  }

  /**
   * As fast as captures arrive: keeps this many between hook and receiver until {@code endNanos}.
   */
  Result flood(Arrivals arrivals, int underWayMax, long endNanos) {
    Run run = new Run();
    run.flood(arrivals, arrivals.count(), underWayMax, endNanos);
    return run.awaitEnd();
  }

  /** Runs on one event loop, except for the pace. */
  private final class Run {
    private final Promise<Result> done = Promise.promise();
    private final Map<UUID, Long> startNanos = new HashMap<>();
    private final Latencies hook = new Latencies();
    private int total = Integer.MAX_VALUE;
    private long lateMaxNanos;
    private int put;
    private final AtomicInteger answered = new AtomicInteger();
    private int refused;

    /**
     * Runs in the calling thread: an event loop spins through the last half millisecond before a
     * timer, which at this pace would cost more than the calls.
     */
    private void keepPace(double perSecond, LongPredicate wanted) {
      long begin = clock.getAsLong();
      for (long i = 0; wanted.test(i); i++) {
        long dueNanos = begin + (long) (TimeUnit.SECONDS.toNanos(1) * i / perSecond);
        long left = dueNanos - clock.getAsLong();
        while (left > 0) {
          LockSupport.parkNanos(left);
          left = dueNanos - clock.getAsLong();
        }
        context.runOnContext(_ -> put(dueNanos));
      }
    }

    private void flood(Arrivals arrivals, int arrivedBefore, int underWayMax, long endNanos) {
      int begun = 0;
      while (clock.getAsLong() - endNanos < 0) {
        int arrived = arrivals.count() - arrivedBefore;
        int more =
            Math.min(CONNECTIONS - (begun - answered.get()), underWayMax - (begun - arrived));
        for (int i = 0; i < more; i++) {
          context.runOnContext(_ -> put(clock.getAsLong()));
        }
        begun += Math.max(0, more);
        LockSupport.parkNanos(FLOOD_PAUSE_NANOS);
      }
    }

    /** Nothing more is sent. */
    private Result awaitEnd() {
      context.runOnContext(_ -> {
        total = put;
        completeIfAnswered();
      });
      try {
        return done.future().await(ANSWERS_SECONDS_MAX, TimeUnit.SECONDS);
      } catch (TimeoutException late) {
        throw new IllegalStateException("the hook still owes answers", late);
      }
    }

    private void put(long dueNanos) {
      long now = clock.getAsLong();
      lateMaxNanos = Math.max(lateMaxNanos, now - dueNanos);
      UUID capture = UUID.randomUUID();
      int at = put % endpoints.size();
      int body = put / endpoints.size() % BODIES_A_WORKSPACE;
      put++;
      startNanos.put(DeliveryId.of(endpoints.get(at).id(), capture), now);
      http.request(
              new RequestOptions()
                  .setMethod(HttpMethod.PUT)
                  .setPort(stage.internalPort())
                  .setURI("/internal/v1/captures/" + capture)
                  .putHeader("authorization", "Bearer " + stage.settings().internalToken())
                  .putHeader("content-type", "application/json"))
          .compose(request -> request.send(bodies.get(at * BODIES_A_WORKSPACE + body)))
          .compose(response -> response.end().map(_ -> response.statusCode()))
          .onComplete(status -> count(now, status.succeeded() && status.result() == 201));
    }

    private void count(long start, boolean created) {
      hook.add(clock.getAsLong() - start);
      refused += created ? 0 : 1;
      answered.incrementAndGet();
      completeIfAnswered();
    }

    private void completeIfAnswered() {
      if (answered.get() == total) {
        done.complete(new Result(startNanos, hook, refused, lateMaxNanos));
      }
    }
  }
}
