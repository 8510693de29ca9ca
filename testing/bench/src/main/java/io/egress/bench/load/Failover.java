package io.egress.bench.load;

import io.egress.standalone.run.ChildProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * How long endpoints are not served when a dispatcher of a fleet is killed, stopped or started, at
 * a steady pace.
 */
final class Failover {
  /**
   * The receiver may still read what a killed process has sent. Its partitions are unassigned for
   * longer than this, since no session times out that soon.
   */
  private static final long STILL_OF_THE_KILLED = Duration.ofSeconds(1).toNanos();

  private static final Duration SERVED_AGAIN_MAX = Duration.ofMinutes(2);
  private static final long LOOK_MILLIS = 100;

  /** A phase that ends when the next one begins. */
  private record Period(String name, long from) {}

  private final PushStage stage;
  private final DeliveryGroup group;
  private final ScaleLoad load;
  private final double pace;
  private final PushEndpoints endpoints;
  private final ServiceTimes times;
  private final List<Period> periods = new ArrayList<>();

  /** {@code pace} is in captures per second. */
  Failover(PushStage stage, DeliveryGroup group, ScaleLoad load, double pace) {
    this.stage = stage;
    this.group = group;
    this.load = load;
    this.pace = pace;
    this.endpoints = new PushEndpoints(stage);
    endpoints.mixed(load.workspaces(), load.hangingEach());
    this.times = stage.receiver().timeService();
  }

  void run(int processes) throws InterruptedException {
    Arrivals arrivals = stage.receiver().begin();
    HookLoad hook = new HookLoad(stage, endpoints.healthy());
    System.out.printf(
        "%n%d processes with the service's own limit of attempts, %.0f deliveries/s%n",
        processes, pace * load.healthyEach());
    try (DispatcherFleet fleet = new DispatcherFleet(stage, group, "failover", Map.of())) {
      for (int i = 0; i < processes; i++) {
        fleet.startOne();
      }
      MachineLoad machine = MachineLoad.begin();
      AtomicBoolean putting = new AtomicBoolean(true);
      CompletableFuture<HookLoad.Result> put =
          CompletableFuture.supplyAsync(
              () -> hook.run(pace, _ -> putting.get()),
              command -> new Thread(command, "bench-hook").start());
      try {
        TimeUnit.SECONDS.sleep(load.warmUpSeconds());
        disturb(fleet);
      } finally {
        putting.set(false);
      }
      begin("the end");
      double machinePercent = machine.percent();
      HookLoad.Result result = put.join();
      Drain.await(arrivals, result.created() * load.healthyEach(), fleet.running().get(0));
      print(arrivals, result);
      System.out.printf("the machine was busy for %.0f%% of the time%n", machinePercent);
    }
    endpoints.endAll();
  }

  private void disturb(DispatcherFleet fleet) throws InterruptedException {
    begin("undisturbed");
    TimeUnit.SECONDS.sleep(load.seconds());
    kill(fleet, fleet.running().get(0));
    TimeUnit.SECONDS.sleep(load.seconds());
    begin("another started");
    fleet.startOne();
    TimeUnit.SECONDS.sleep(load.seconds());
    stop(fleet, fleet.running().get(0));
    TimeUnit.SECONDS.sleep(load.seconds());
    begin("it started again");
    fleet.startOne();
    TimeUnit.SECONDS.sleep(load.seconds());
  }

  private long begin(String period) {
    long now = System.nanoTime();
    periods.add(new Period(period, now));
    return now;
  }

  private void kill(DispatcherFleet fleet, ChildProcess dispatcher) throws InterruptedException {
    Set<Integer> partitions = fleet.partitions(dispatcher);
    List<String> lost =
        endpoints.healthy().stream()
            .filter(endpoint -> partitions.contains(endpoints.partition(endpoint.id())))
            .map(PushEndpoints.Made::path)
            .toList();
    long killed = begin("kill -9 of one");
    fleet.kill(dispatcher);
    Latencies outages = new Latencies();
    for (String path : lost) {
      outages.add(awaitServed(path, killed + STILL_OF_THE_KILLED) - killed);
    }
    System.out.printf(
        "kill -9: %d of %d healthy endpoints were the killed process's; served again after %.1f s"
            + " (median), %.1f s (all of them)%n",
        lost.size(),
        load.healthy(),
        outages.percentileMillis(50) / 1e3,
        outages.percentileMillis(100) / 1e3);
  }

  private void stop(DispatcherFleet fleet, ChildProcess dispatcher) throws InterruptedException {
    long stopped = begin("SIGTERM to one");
    fleet.terminate(dispatcher);
    System.out.printf(
        "SIGTERM: the process ended after %.1f s%n", (System.nanoTime() - stopped) / 1e9);
  }

  private long awaitServed(String path, long after) throws InterruptedException {
    long end = System.nanoTime() + SERVED_AGAIN_MAX.toNanos();
    while (System.nanoTime() < end) {
      OptionalLong served = times.firstAfter(path, after);
      if (served.isPresent()) {
        return served.getAsLong();
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    throw new IllegalStateException(
        "%s was not served again for %d s".formatted(path, SERVED_AGAIN_MAX.toSeconds()));
  }

  private void print(Arrivals arrivals, HookLoad.Result put) {
    Table table = new Table("late ms, p99", "worst");
    for (int i = 0; i + 1 < periods.size(); i++) {
      long from = periods.get(i).from();
      long to = periods.get(i + 1).from();
      Map<UUID, Long> begun =
          put.startNanos().entrySet().stream()
              .filter(start -> start.getValue() >= from && start.getValue() < to)
              .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
      Latencies late = arrivals.since(begun);
      table.add(periods.get(i).name(), late.percentileMillis(99), late.percentileMillis(100));
    }
    table.print();
    System.out.printf("%d duplicates, %d calls refused%n", arrivals.duplicates(), put.refused());
  }
}
