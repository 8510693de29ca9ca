package io.egress.standalone.bench;

import io.egress.standalone.run.RunningProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Webhooks of 20 KB documents, counted where they arrive. */
@Command(
    name = "push",
    description = {
      "Push: webhooks of 20 KB documents, counted at a receiver on this machine.",
      "spread: endpoints in a workspace each; fan: all in one workspace; latency: from hook to",
      "receiver; hanging: nine endpoints without and with a tenth that hangs; skewed: a backlog in",
      "one partition and spread out; waiting: heap with a million records in the retry topics."
    })
final class PushBench implements Callable<Integer> {
  private static final int WARM_UP_SECONDS_MAX = 20;
  private static final Duration LONGER_THAN_A_RUN = Duration.ofMinutes(30);

  @Option(
      names = "--mode",
      defaultValue = "spread",
      converter = PushMode.Converter.class,
      description = "spread, fan, latency, hanging, skewed or waiting")
  private PushMode mode = PushMode.SPREAD;

  @Option(
      names = "--deliveries",
      defaultValue = "0",
      description = "how many are counted, after a fifth more to warm up; 0: the mode's default")
  private int deliveries;

  @Option(names = "--endpoints", defaultValue = "0", description = "0: the mode's default")
  private int endpoints;

  @Option(names = "--plain", description = "http instead of https")
  private boolean plain;

  @Option(names = "--http2", description = "a receiver that offers HTTP/2")
  private boolean http2;

  @Option(names = "--workers", defaultValue = "1", description = "EGRESS_DISPATCHER_WORKERS")
  private int workers;

  @Option(
      names = "--rounds",
      defaultValue = "1",
      description = "how often hanging and skewed compare; medians are printed")
  private int rounds;

  @Option(names = "--seconds", defaultValue = "60", description = "length of latency")
  private int seconds;

  @Option(names = "--pace", defaultValue = "300", description = "captures a second of latency")
  private int pace;

  @Option(names = "--waiting", defaultValue = "1000000", description = "records of waiting")
  private int waiting;

  @Option(
      names = "--jvm",
      description = "an option for the dispatcher's JVM, for instance to record a profile")
  private List<String> jvmOptions = List.of();

  @Override
  public Integer call() throws InterruptedException {
    RunningProcess process = RunningProcess.begin();
    deliveries = deliveries > 0 ? deliveries : mode.deliveries();
    endpoints = endpoints > 0 ? endpoints : mode.endpoints();
    PushStage stage =
        PushStage.open(process, new PushStage.Options(plain, http2, workers, jvmOptions));
    System.out.printf(
        "receiver: %s%s, 20 KB documents, %d worker(s)%n",
        plain ? "http" : "https", http2 ? " with HTTP/2" : "", workers);
    switch (mode) {
      case SPREAD -> spread(stage);
      case FAN -> fan(stage);
      case LATENCY -> latency(stage);
      case HANGING -> hanging(stage);
      case SKEWED -> skewed(stage);
      case WAITING -> waiting(stage);
    }
    return 0;
  }

  private void spread(PushStage stage) throws InterruptedException {
    PushEndpoints spread = new PushEndpoints(stage);
    spread.spread(endpoints);
    String name = endpoints + " endpoints";
    PushResult result = new Drain(stage).run("spread", spread, amount(endpoints));
    System.out.printf("%d endpoints in %d workspaces%n", endpoints, endpoints);
    print(name, result);
  }

  private void fan(PushStage stage) throws InterruptedException {
    PushEndpoints fan = new PushEndpoints(stage);
    fan.fan(endpoints);
    PushResult result = new Drain(stage).run("fan", fan, amount(endpoints));
    System.out.printf("one workspace, each capture to %d endpoints%n", endpoints);
    print("fan-out to " + endpoints, result);
  }

  private void hanging(PushStage stage) throws InterruptedException {
    Drain drain = new Drain(stage);
    Table table = PushResult.table();
    int healthy = endpoints - 1;
    for (int round = 1; round <= rounds; round++) {
      PushEndpoints alone = new PushEndpoints(stage);
      alone.spread(healthy);
      add(table, healthy + " healthy", drain.run("alone-" + round, alone, amount(healthy)));
      PushEndpoints beside = new PushEndpoints(stage);
      beside.spread(healthy);
      beside.hanging();
      String name = "the same, 1 hanging";
      add(table, name, drain.run("hanging-" + round, beside, amount(healthy)));
      beside.endAll();
    }
    table.print();
    ratio(table, "the same, 1 hanging", healthy + " healthy");
  }

  private void skewed(PushStage stage) throws InterruptedException {
    Drain drain = new Drain(stage);
    Table table = PushResult.table();
    for (int round = 1; round <= rounds; round++) {
      PushEndpoints spread = new PushEndpoints(stage);
      spread.spread(endpoints);
      add(table, "spread out", drain.run("spread-" + round, spread, amount(endpoints)));
      PushEndpoints skewed = new PushEndpoints(stage);
      skewed.skewed(endpoints);
      add(table, "one partition", drain.run("skewed-" + round, skewed, amount(endpoints)));
    }
    table.print();
    ratio(table, "one partition", "spread out");
  }

  private void waiting(PushStage stage) throws InterruptedException {
    Drain drain = new Drain(stage);
    Table table = PushResult.table();
    PushEndpoints without = new PushEndpoints(stage);
    without.spread(endpoints);
    add(table, "none waiting", drain.run("without", without, amount(endpoints)));
    PushEndpoints with = new PushEndpoints(stage);
    with.spread(endpoints);
    List<Duration> delays =
        stage.settings().dispatcher().retrySchedule().delays().stream()
            .filter(delay -> delay.compareTo(LONGER_THAN_A_RUN) > 0)
            .toList();
    new WaitingRecords(stage.vertx(), stage.settings().kafka(), delays).write(with.made(), waiting);
    add(table, "%,d waiting".formatted(waiting), drain.run("with", with, amount(endpoints)));
    table.print();
  }

  private void latency(PushStage stage) throws InterruptedException {
    PushEndpoints spread = new PushEndpoints(stage);
    spread.spread(endpoints);
    HookLoad load = new HookLoad(stage, spread.made());
    Arrivals arrivals = stage.receiver().begin();
    AttemptLog attempts = new AttemptLog(stage.history().pool());
    try (ChildProcess dispatcher = stage.dispatcher("latency")) {
      int warmUp = load.run(pace, Math.min(WARM_UP_SECONDS_MAX, seconds)).startNanos().size();
      Drain.await(arrivals, warmUp, dispatcher);
      ProcessorTime time = stage.processorTime(dispatcher);
      HookLoad.Result put = load.run(pace, seconds);
      int total = warmUp + put.startNanos().size();
      Drain.await(arrivals, total, dispatcher);
      var used = time.end();
      PushResult result =
          new PushResult(
              PushResult.Rate.of(arrivals, warmUp, total),
              arrivals.duplicates(),
              0,
              attempts.settled(),
              used,
              dispatcher.gcLog());
      print(pace + " captures/s", result);
      Table table = new Table("p50 ms", "p99 ms", "p99.9 ms");
      add(table, "hook to receiver", arrivals.since(put.startNanos()));
      add(table, "hook's own answer", put.hook());
      table.print();
      System.out.printf(
          "%d calls of the hook were refused, the generator was late by %.1f ms at most%n",
          put.refused(), put.lateMaxNanos() / 1e6);
    }
  }

  private Drain.Amount amount(int healthy) {
    return Drain.Amount.of(deliveries, healthy);
  }

  private static void add(Table table, String row, Latencies latencies) {
    table.add(
        row,
        latencies.percentileMillis(50),
        latencies.percentileMillis(99),
        latencies.percentileMillis(99.9));
  }

  private static void add(Table table, String row, PushResult result) {
    result.addTo(table, row);
    result.print(row);
  }

  private static void print(String row, PushResult result) {
    Table table = PushResult.table();
    result.addTo(table, row);
    table.print();
    result.print(row);
  }

  private static void ratio(Table table, String row, String base) {
    System.out.printf("%s / %s %.2f%n", row, base, table.median(row) / table.median(base));
  }
}
