package io.egress.bench.load;

import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.run.ChildProcess;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The cost of the service while it has nothing to do. */
@Command(
    name = "idle",
    description = "Measures processor time, wake-ups and memory while nothing is to be delivered.")
final class IdleBench implements Callable<Integer> {
  private static final int ENDPOINTS = 10;
  private static final int CAPTURES = 100;

  @Mixin private PushOptions options = new PushOptions();

  @Option(
      names = "--settle",
      defaultValue = "60",
      description = "seconds of rest before the measurement (default: ${DEFAULT-VALUE})")
  private int settleSeconds;

  @Option(
      names = "--seconds",
      defaultValue = "60",
      description = "length of the measurement (default: ${DEFAULT-VALUE})")
  private int seconds;

  /** Delivers some captures first, so that every part has been in use. */
  @Override
  public Integer call() throws InterruptedException {
    PushStage stage = PushStage.open(RunningProcess.begin(), options);
    PushEndpoints endpoints = new PushEndpoints(stage);
    endpoints.spread(ENDPOINTS);
    Arrivals arrivals = stage.receiver().begin();
    try (ChildProcess dispatcher = stage.dispatcher("idle")) {
      int put = new HookLoad(stage, endpoints.made()).run(CAPTURES, 1).created();
      Drain.await(arrivals, put, dispatcher);
      TimeUnit.SECONDS.sleep(settleSeconds);
      ProcessorTime time = stage.processorTime(dispatcher);
      Map<String, Long> before = stage.sums(dispatcher, ProcFiles::wakeUps);
      TimeUnit.SECONDS.sleep(seconds);
      Map<String, Long> after = stage.sums(dispatcher, ProcFiles::wakeUps);
      print(time.end(), before, after, stage.sums(dispatcher, ProcFiles::residentKilobytes));
      stage.residentMax(List.of(dispatcher)).print();
    }
    return 0;
  }

  private static void print(
      Map<String, Double> processorSeconds,
      Map<String, Long> before,
      Map<String, Long> after,
      Map<String, Long> residentKilobytes) {
    double elapsed = processorSeconds.getOrDefault(ProcessorTime.ELAPSED, Double.NaN);
    Table table = new Table("% of a core", "wake-ups/s", "resident MB");
    double[] sum = new double[3];
    for (String part : PushStage.SERVICE) {
      double[] row = {
        processorSeconds.getOrDefault(part, Double.NaN) / elapsed * 100,
        (after.getOrDefault(part, 0L) - before.getOrDefault(part, 0L)) / elapsed,
        residentKilobytes.getOrDefault(part, 0L) / 1024.0
      };
      for (int column = 0; column < sum.length; column++) {
        sum[column] += row[column];
      }
      table.add(part, row);
    }
    table.add("together", sum);
    table.print();
  }
}
