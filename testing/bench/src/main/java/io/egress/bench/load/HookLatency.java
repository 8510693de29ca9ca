package io.egress.bench.load;

import io.egress.standalone.run.ChildProcess;

/** The time from the hook's call to the receiver, at a steady pace. */
final class HookLatency {
  private final PushStage stage;
  private final HookLoad load;

  HookLatency(PushStage stage, int endpoints) {
    this.stage = stage;
    PushEndpoints spread = new PushEndpoints(stage);
    spread.spread(endpoints);
    this.load = new HookLoad(stage, spread.made());
  }

  void run(int perSecond, int warmUpSeconds, int seconds, boolean isWithAnatomy)
      throws InterruptedException {
    Arrivals arrivals = stage.receiver().begin();
    AttemptLog attempts = new AttemptLog(stage.history().pool());
    try (ChildProcess dispatcher = stage.dispatcher("latency")) {
      int warmUp = load.run(perSecond, warmUpSeconds).created();
      Drain.await(arrivals, warmUp, dispatcher);
      ProcessorTime time = stage.processorTime(dispatcher);
      HookLoad.Result put = load.run(perSecond, seconds);
      int total = warmUp + put.created();
      Drain.await(arrivals, total, dispatcher);
      PushResult result =
          PushResult.of(
              stage,
              PushResult.Rate.of(arrivals, warmUp, total),
              arrivals,
              time.end(),
              attempts.settled(),
              dispatcher);
      result.print(perSecond + " captures/s");
      Table table = new Table("p50 ms", "p99 ms", "p99.9 ms");
      add(table, "hook to receiver", arrivals.since(put.startNanos()));
      add(table, "hook's own answer", put.hook());
      table.print();
      System.out.printf(
          "%d calls of the hook were refused, the generator was late by %.1f ms at most%n",
          put.refused(), put.lateMaxNanos() / 1e6);
      if (isWithAnatomy) {
        new Anatomy(stage, load).run(perSecond, seconds, dispatcher);
      }
    }
  }

  private static void add(Table table, String row, Latencies latencies) {
    table.add(
        row,
        latencies.percentileMillis(50),
        latencies.percentileMillis(99),
        latencies.percentileMillis(99.9));
  }
}
