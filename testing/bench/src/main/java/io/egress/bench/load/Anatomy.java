package io.egress.bench.load;

import io.egress.standalone.run.ChildProcess;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * What one capture costs at a steady pace, part by part: its stages, the threads that work for it,
 * Kafka's requests and PostgreSQL's statements. The last are counted in a run of their own, because
 * writing them down takes time.
 */
final class Anatomy {
  private static final double LEAST = 0.01;
  private static final int SECONDS_OF_STATEMENTS = 15;

  private final PushStage stage;
  private final HookLoad load;

  Anatomy(PushStage stage, HookLoad load) {
    this.stage = stage;
    this.load = load;
  }

  /** Measures for so many seconds, and the statements after that. */
  void run(int perSecond, int seconds, ChildProcess dispatcher) throws InterruptedException {
    Arrivals arrivals = stage.receiver().begin();
    ThreadWork threads = stage.threadWork(dispatcher);
    BrokerRequests requests = stage.brokerRequests();
    HookLoad.Result put = load.run(perSecond, seconds);
    Map<String, Long> requested = requests.end();
    Map<String, Map<String, ThreadWork.Work>> worked = threads.end();
    Drain.await(arrivals, put.created(), dispatcher);
    print(
        new StageTimes(stage.history().pool(), stage.settings().kafka())
            .read(put.startNanos(), arrivals.firstNanos()));
    print(worked, put.created());
    System.out.println("Kafka's requests, for each capture:");
    requested.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .forEach(kind ->
            System.out.printf(
                "  %-28s %8.2f%n", kind.getKey(), (double) kind.getValue() / put.created()));
    LoggedStatements statements = LoggedStatements.begin(stage.history().pool());
    HookLoad.Result logged = load.run(perSecond, SECONDS_OF_STATEMENTS);
    Drain.await(arrivals, put.created() + logged.created(), dispatcher);
    print(statements.end(), logged.created());
  }

  private static void print(Map<String, Latencies> stages) {
    System.out.println("Stages of a capture, milliseconds:");
    System.out.printf("  %-36s %8s %8s%n", "", "p50", "p99");
    stages.forEach((name, times) ->
        System.out.printf(
            "  %-36s %8.1f %8.1f%n", name, times.percentileMillis(50), times.percentileMillis(99)));
  }

  private static void print(Map<String, Map<String, ThreadWork.Work>> parts, int captures) {
    System.out.println("Threads, for each capture:");
    System.out.printf("  %-12s %-18s %12s %10s%n", "", "", "processor us", "wake-ups");
    double[] all = new double[2];
    parts.forEach((part, byName) -> {
      double[] sum = new double[2];
      byName.entrySet().stream()
          .sorted(
              Comparator.comparingLong((Map.Entry<String, ThreadWork.Work> entry) ->
                      entry.getValue().processorNanos())
                  .reversed())
          .forEach(entry -> {
            double micros = entry.getValue().processorNanos() / 1e3 / captures;
            double wakeUps = (double) entry.getValue().wakeUps() / captures;
            sum[0] += micros;
            sum[1] += wakeUps;
            if (micros >= 1 || wakeUps >= LEAST) {
              System.out.printf(
                  "  %-12s %-18s %,12.0f %10.2f%n", part, entry.getKey(), micros, wakeUps);
            }
          });
      System.out.printf("  %-12s %-18s %,12.0f %10.2f%n", part, "together", sum[0], sum[1]);
      all[0] += sum[0];
      all[1] += sum[1];
    });
    System.out.printf("  %-12s %-18s %,12.0f %10.2f%n", "together", "", all[0], all[1]);
  }

  private static void print(List<LoggedStatements.Executed> statements, int captures) {
    System.out.println("PostgreSQL's statements, for each capture:");
    System.out.printf("  %10s %10s%n", "executed", "us");
    double[] sum = new double[2];
    for (LoggedStatements.Executed executed : statements) {
      double count = (double) executed.count() / captures;
      double micros = executed.millis() * 1e3 / captures;
      sum[0] += count;
      sum[1] += micros;
      if (count >= LEAST) {
        System.out.printf("  %10.2f %10.0f  %s%n", count, micros, executed.text());
      }
    }
    System.out.printf("  %10.2f %10.0f  together%n", sum[0], sum[1]);
  }
}
