package io.egress.bench.load;

import io.egress.bench.load.PushEndpoints.Made;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.run.ChildProcess;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What a burst of one workspace does to the webhooks of others: the time from the hook's call to
 * the receiver of a few workspaces at a slow pace, before and during the burst.
 */
final class Neighbours {
  /** How the endpoints of the burst answer. */
  enum Kind {
    HEALTHY,
    REFUSING,
    HANGING;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final int OTHERS = 4;
  private static final int BURST_PER_SECOND = 1_000;
  private static final int WARM_UP_PER_SECOND = 100;
  private static final int ARRIVAL_SECONDS_MAX = 120;

  private static final String UNATTEMPTED =
      """
      select (select stream_head from workspaces where id = $1) * $2
        - (select count(*) from deliveries d join endpoints e on e.id = d.endpoint_id
          where e.workspace_id = $1 and d.attempts > 0) as unattempted
      """;

  private final PushStage stage;
  private final int endpoints;
  private final Kind kind;
  private final List<Made> burst;
  private final List<Made> others;

  Neighbours(PushStage stage, int endpoints, Kind kind) {
    this.stage = stage;
    this.endpoints = endpoints;
    this.kind = kind;
    PushEndpoints made = new PushEndpoints(stage);
    made.spread(OTHERS);
    this.others = made.made();
    PushEndpoints bursting = new PushEndpoints(stage);
    switch (kind) {
      case HEALTHY -> bursting.fan(endpoints);
      case HANGING -> bursting.fanHanging(endpoints);
      case REFUSING -> bursting.fanTo(endpoints, "//127.0.0.1:" + closedPort() + "/");
    }
    this.burst = bursting.made();
  }

  void run(int dispatchers, int captures, int perSecond, int seconds, int secondsMax)
      throws InterruptedException {
    Arrivals arrivals = stage.receiver().begin();
    List<ChildProcess> running = new ArrayList<>();
    for (int i = 0; i < dispatchers; i++) {
      running.add(stage.launchDispatcher("neighbours." + i, Map.of()));
    }
    for (ChildProcess dispatcher : running) {
      PushStage.awaitUp(dispatcher);
    }
    HookLoad load = new HookLoad(stage, others);
    await(arrivals, load.run(WARM_UP_PER_SECOND, seconds));
    Table table = new Table("p50 ms", "p90 ms", "p99 ms", "most ms", "hook p99", "hook most");
    add(table, "calm", arrivals, load.run(perSecond, seconds));
    HookLoad burstLoad = new HookLoad(stage, burst.subList(0, 1));
    AtomicBoolean over = new AtomicBoolean();
    long begun = System.nanoTime();
    Thread bursting =
        Thread.ofVirtual()
            .start(() -> {
              burstLoad.run((double) BURST_PER_SECOND, calls -> calls < captures);
              awaitAttempts(begun, secondsMax);
              over.set(true);
            });
    HookLoad.Result beside = load.run((double) perSecond, _ -> !over.get());
    bursting.join();
    System.out.printf(
        "%,d deliveries to %d %s endpoints of one workspace: %,d have no attempt after %.1f s%n",
        captures * endpoints, endpoints, kind, unattempted(), (System.nanoTime() - begun) / 1e9);
    add(table, "during the burst", arrivals, beside);
    table.print();
  }

  private void awaitAttempts(long begun, int secondsMax) {
    while (unattempted() > 0 && System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(secondsMax)) {
      try {
        TimeUnit.SECONDS.sleep(1);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private long unattempted() {
    UUID workspace = burst.getFirst().workspace();
    return RunningProcess.await(
            stage
                .history()
                .pool()
                .preparedQuery(UNATTEMPTED)
                .execute(Tuple.of(workspace, (long) endpoints)))
        .iterator()
        .next()
        .getLong("unattempted");
  }

  private static void add(Table table, String row, Arrivals arrivals, HookLoad.Result put)
      throws InterruptedException {
    Latencies late = await(arrivals, put);
    table.add(
        row + " (" + late.count() + ")",
        late.percentileMillis(50),
        late.percentileMillis(90),
        late.percentileMillis(99),
        late.percentileMillis(100),
        put.hook().percentileMillis(99),
        put.hook().percentileMillis(100));
  }

  private static Latencies await(Arrivals arrivals, HookLoad.Result put)
      throws InterruptedException {
    Latencies late = arrivals.since(put.startNanos());
    for (int i = 0; i < ARRIVAL_SECONDS_MAX && late.count() < put.created(); i++) {
      TimeUnit.SECONDS.sleep(1);
      late = arrivals.since(put.startNanos());
    }
    if (late.count() < put.created()) {
      throw new IllegalStateException(
          "%d of %d have arrived".formatted(late.count(), put.created()));
    }
    return late;
  }

  /** Nobody listens there, unless another process does soon. */
  private static int closedPort() {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return taken.getLocalPort();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
