package io.egress.bench.load;

import io.egress.platform.lifecycle.RunningProcess;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The throughput of 1, 2, 4 and 8 dispatcher processes, and the effect of losing one. */
@Command(
    name = "scale",
    description = {
      "Measures how deliveries grow with the number of dispatcher processes, while some endpoints"
          + " hang, and for how long endpoints wait when a process is killed, stopped or started.",
      "",
      "One machine cannot show what more processors bring. So each worker has a limit of attempts"
          + " at a time, and receivers answer after a while: a process delivers what its limit"
          + " allows, and uses a small part of the machine. The speed-up is the fleet's as long as"
          + " the machine is not busy; its share is printed. A quarter of the attempts goes to"
          + " endpoints that hang, and the warm-up lasts until all of these were found.",
      "",
      "The second part runs at half of the rate of one process, which the machine is to bear, and"
          + " with the service's own limit of attempts, because the few slots of the first part"
          + " would all be held by endpoints that a process does not know to hang yet.",
      ""
    })
final class ScaleBench implements Callable<Integer> {
  /** Divisible by 1, 2, 3, 4, 6, 8, 12 and 24 processes. */
  private static final int PARTITIONS = 24;

  private static final int IN_FLIGHT_MIN = 16;

  @Mixin private PushOptions options = new PushOptions();

  @Option(
      names = "--processes",
      split = ",",
      defaultValue = "1,2,4,8",
      description = "numbers of dispatcher processes, the first is 1 (default: ${DEFAULT-VALUE})")
  private List<Integer> processes = List.of();

  @Option(
      names = "--in-flight",
      defaultValue = "64",
      description = "EGRESS_DISPATCHER_IN_FLIGHT of the first part (default: ${DEFAULT-VALUE})")
  private int inFlight;

  @Option(
      names = "--endpoints",
      defaultValue = "1000",
      description = "ten in each workspace (default: ${DEFAULT-VALUE})")
  private int endpoints;

  @Option(
      names = "--hanging",
      defaultValue = "30",
      description = "percent of the endpoints, a multiple of 10 (default: ${DEFAULT-VALUE})")
  private int hangingPercent;

  @Option(
      names = "--latency",
      defaultValue = "100",
      description = "milliseconds until a healthy endpoint answers (default: ${DEFAULT-VALUE})")
  private int latencyMillis;

  @Option(
      names = "--warm-up",
      defaultValue = "20",
      description = "seconds before each measurement, at full rate (default: ${DEFAULT-VALUE})")
  private int warmUpSeconds;

  @Option(
      names = "--seconds",
      defaultValue = "20",
      description = "length of each measurement (default: ${DEFAULT-VALUE})")
  private int seconds;

  @Option(
      names = "--fleet",
      defaultValue = "4",
      description = "processes of the second part, 0 to leave it out (default: ${DEFAULT-VALUE})")
  private int fleet;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws InterruptedException {
    refuseUseless();
    Map<String, String> settings = Map.of("EGRESS_TOPIC_PARTITIONS", Integer.toString(PARTITIONS));
    PushStage stage = PushStage.open(RunningProcess.begin(), options, settings);
    stage.receiver().answerAfter(latencyMillis);
    ScaleLoad load =
        new ScaleLoad(
            endpoints / PushEndpoints.MIXED_EACH,
            hangingPercent * PushEndpoints.MIXED_EACH / 100,
            Duration.ofMillis(latencyMillis),
            inFlight,
            warmUpSeconds,
            seconds);
    System.out.printf(
        "%d endpoints, %d%% of them hang, the others answer after %d ms; %d partitions%n"
            + "%d attempts in flight a process: at most %.0f deliveries/s a process%n",
        endpoints, hangingPercent, latencyMillis, PARTITIONS, inFlight, load.perSecondMax());
    try (DeliveryGroup group = new DeliveryGroup(stage.settings().kafka())) {
      double one = scale(new ScaleStep(stage, group, load));
      if (fleet > 0) {
        new Failover(stage, group, load, load.halfPace(one)).run(fleet);
      }
    }
    return 0;
  }

  /** Deliveries per second of one process. */
  private double scale(ScaleStep step) throws InterruptedException {
    Map<Integer, ScaleStep.Result> results = new LinkedHashMap<>();
    for (int count : processes) {
      ScaleStep.Result result = step.run(count);
      results.put(count, result);
      System.out.printf(
          "%d process(es): %.0f deliveries/s, %d duplicates%n",
          count, result.perSecond(), result.duplicates());
      result.resident().print();
    }
    double one = results.values().iterator().next().perSecond();
    print(results, one);
    return one;
  }

  private static void print(Map<Integer, ScaleStep.Result> results, double one) {
    Table table = new Table("deliveries/s", "speed-up", "machine %", "connections");
    results.forEach((count, result) -> {
      table.add(
          count + " process(es)",
          result.perSecond(),
          result.perSecond() / one,
          result.machinePercent(),
          result.connections());
    });
    System.out.printf("%na backlog, healthy endpoints; connections to PostgreSQL with the api's%n");
    table.print();
  }

  private void refuseUseless() {
    refuseUnless(
        processes.get(0) == 1,
        "--processes must begin with 1: the speed-up is against one process");
    refuseUnless(
        processes.stream().allMatch(count -> count >= 1 && count <= PARTITIONS),
        "--processes must be from 1 to %d, one partition for each".formatted(PARTITIONS));
    refuseUnless(inFlight >= IN_FLIGHT_MIN, "--in-flight must be at least " + IN_FLIGHT_MIN);
    refuseUnless(
        endpoints >= PushEndpoints.MIXED_EACH && endpoints % PushEndpoints.MIXED_EACH == 0,
        "--endpoints must be a multiple of 10");
    refuseUnless(
        hangingPercent >= 0 && hangingPercent < 100 && hangingPercent % 10 == 0,
        "--hanging must be a multiple of 10 below 100");
    refuseUnless(latencyMillis >= 1, "--latency must be at least 1");
    refuseUnless(warmUpSeconds >= 1 && seconds >= 1, "--warm-up and --seconds must be at least 1");
    refuseUnless(fleet == 0 || fleet >= 2, "--fleet must be 0, or at least 2 so that one can die");
  }

  private void refuseUnless(boolean useful, String complaint) {
    if (!useful) {
      throw new CommandLine.ParameterException(spec.commandLine(), complaint);
    }
  }
}
