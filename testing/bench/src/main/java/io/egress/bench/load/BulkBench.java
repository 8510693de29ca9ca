package io.egress.bench.load;

import io.egress.bench.load.BulkWork.Kind;
import io.egress.platform.lifecycle.RunningProcess;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What one workspace does in bulk, as others feel it. */
@Command(
    name = "bulk",
    description =
        "Measures the hook, a pull and a page of four workspaces while another one imports, exports,"
            + " searches, verifies, replays and erases.")
final class BulkBench implements Callable<Integer> {
  @Mixin private PushOptions options = new PushOptions();

  @Option(
      names = "--captures",
      defaultValue = "100000",
      description = "of the other workspace (default: ${DEFAULT-VALUE})")
  private long captures;

  @Option(
      names = "--pace",
      defaultValue = "8",
      description = "calls of each kind a second (default: ${DEFAULT-VALUE})")
  private double pace;

  @Option(
      names = "--seconds",
      defaultValue = "20",
      description = "of each measurement, and of the warm-up (default: ${DEFAULT-VALUE})")
  private int seconds;

  @Option(
      names = "--only",
      split = ",",
      description = "some of ${COMPLETION-CANDIDATES}; all if not given")
  private List<Kind> only = List.of(Kind.values());

  @Override
  public Integer call() throws Exception {
    PushStage stage = PushStage.open(RunningProcess.begin(), options);
    stage.receiver().begin();
    stage.dispatcher("bulk");
    Probes probes = new Probes(stage, pace);
    BulkWork work = new BulkWork(stage, captures);
    probes.run(after(seconds));
    Table table =
        new Table("hook p50", "p99", "most", "pull p50", "p99", "most", "page p50", "p99", "most");
    add(table, "calm", probes.run(after(seconds)));
    for (Kind kind : Kind.values()) {
      if (only.contains(kind)) {
        measure(kind, probes, work, table);
      }
    }
    add(table, "calm again", probes.run(after(seconds)));
    System.out.printf("milliseconds, %.0f calls of each kind a second%n", pace);
    table.print();
    return 0;
  }

  private void measure(Kind kind, Probes probes, BulkWork work, Table table)
      throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    Thread bulk =
        Thread.ofVirtual()
            .start(() -> {
              try {
                System.out.printf("%s: %s%n", name(kind), work.run(kind, over::get));
              } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
              }
            });
    Probes.Result beside = probes.run(after(seconds));
    over.set(true);
    bulk.join();
    add(table, name(kind), beside);
  }

  private static String name(Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static BooleanSupplier after(int seconds) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    return () -> System.nanoTime() - end >= 0;
  }

  private static void add(Table table, String row, Probes.Result result) {
    table.add(
        row,
        result.hook().percentileMillis(50),
        result.hook().percentileMillis(99),
        result.hook().percentileMillis(100),
        result.pull().percentileMillis(50),
        result.pull().percentileMillis(99),
        result.pull().percentileMillis(100),
        result.page().percentileMillis(50),
        result.page().percentileMillis(99),
        result.page().percentileMillis(100));
  }
}
