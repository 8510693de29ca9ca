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

/** The whole path of captures, from the hook to the receiver, at full speed. */
@Command(name = "ingest", description = "Puts captures of 20 KB as fast as their webhooks arrive.")
final class IngestBench implements Callable<Integer> {
  @Mixin private PushOptions options = new PushOptions();

  @Option(
      names = "--endpoints",
      defaultValue = "100",
      description = "each in a workspace of its own (default: ${DEFAULT-VALUE})")
  private int endpoints;

  @Option(
      names = "--under-way",
      defaultValue = "1000",
      description = "captures between hook and receiver at a time (default: ${DEFAULT-VALUE})")
  private int underWay;

  @Option(
      names = "--warm-up",
      defaultValue = "90",
      description = "seconds before the measurement (default: ${DEFAULT-VALUE})")
  private int warmUpSeconds;

  @Option(
      names = "--seconds",
      defaultValue = "60",
      description = "length of the measurement (default: ${DEFAULT-VALUE})")
  private int seconds;

  @Override
  public Integer call() throws InterruptedException {
    PushStage stage = PushStage.open(RunningProcess.begin(), options);
    PushEndpoints spread = new PushEndpoints(stage);
    spread.spread(endpoints);
    HookLoad load = new HookLoad(stage, spread.made());
    Arrivals arrivals = stage.receiver().begin();
    try (ChildProcess dispatcher = stage.dispatcher("ingest")) {
      int put = flood(load, arrivals, warmUpSeconds).created();
      Drain.await(arrivals, put, dispatcher);
      ProcessorTime time = stage.processorTime(dispatcher);
      StoredBytes stored = StoredBytes.now(stage.history().pool());
      HookLoad.Result result = flood(load, arrivals, seconds);
      Drain.await(arrivals, put + result.created(), dispatcher);
      print(result, arrivals.duplicates(), time.end());
      print(StoredBytes.now(stage.history().pool()).since(stored), result.created());
      stage.residentMax(List.of(dispatcher)).print();
    }
    return 0;
  }

  private static void print(StoredBytes stored, int captures) {
    System.out.printf(
        "a capture with one delivery: %.1f KB in PostgreSQL's tables and indexes, %.1f KB of WAL%n",
        stored.database() / 1e3 / captures, stored.writeAhead() / 1e3 / captures);
  }

  private HookLoad.Result flood(HookLoad load, Arrivals arrivals, int length) {
    return load.flood(arrivals, underWay, System.nanoTime() + TimeUnit.SECONDS.toNanos(length));
  }

  private void print(HookLoad.Result result, int duplicates, Map<String, Double> processorSeconds) {
    double elapsed = processorSeconds.getOrDefault(ProcessorTime.ELAPSED, Double.NaN);
    System.out.printf(
        "%,.0f captures a second from the hook to the receiver, %d endpoints; "
            + "%d calls refused, %d duplicates%n",
        result.created() / elapsed, endpoints, result.refused(), duplicates);
    Table table = new Table("us a capture", "% of a core");
    double sum = 0;
    for (String part : PushStage.SERVICE) {
      double used = processorSeconds.getOrDefault(part, Double.NaN);
      sum += used;
      table.add(part, used * 1e6 / result.created(), used / elapsed * 100);
    }
    table.add("together", sum * 1e6 / result.created(), sum / elapsed * 100);
    table.print();
  }
}
