package io.egress.standalone.bench;

import static java.util.Objects.requireNonNull;

import io.egress.lifecycle.RunningProcess;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--mode",
      defaultValue = "spread",
      converter = PushMode.Converter.class,
      description = "spread, fan, latency, hanging, skewed or waiting")
  private PushMode mode = PushMode.SPREAD;

  @Option(
      names = "--deliveries",
      defaultValue = "0",
      description = "how many are counted, after those that warm up; 0: the mode's default")
  private int deliveries;

  @Option(
      names = "--warm-up",
      defaultValue = "0",
      description = "deliveries of a backlog before any is counted; 0: the mode's default")
  private int warmUp;

  @Option(names = "--endpoints", defaultValue = "0", description = "0: the mode's default")
  private int endpoints;

  @Option(
      names = "--even",
      description = "fan with as many endpoints in each partition, not as their ids fall")
  private boolean even;

  @Option(names = "--plain", description = "http instead of https")
  private boolean plain;

  @Option(names = "--http2", description = "a receiver that offers HTTP/2")
  private boolean http2;

  @Option(names = "--workers", defaultValue = "1", description = "EGRESS_DISPATCHER_WORKERS")
  private int workers;

  @Option(
      names = "--rounds",
      defaultValue = "3",
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
    checkOptions();
    RunningProcess process = RunningProcess.begin();
    deliveries = deliveries > 0 ? deliveries : mode.deliveries();
    endpoints = endpoints > 0 ? endpoints : mode.endpoints();
    PushStage stage =
        PushStage.open(
            process, new PushStage.Options(program(), plain, http2, workers, jvmOptions));
    System.out.printf(
        "receiver: %s%s, 20 KB documents, %d worker(s)%n",
        plain ? "http" : "https", http2 ? " with HTTP/2" : "", workers);
    switch (mode) {
      case SPREAD -> spread(stage);
      case FAN -> fan(stage);
      case LATENCY -> new HookLatency(stage, endpoints).run(pace, seconds);
      case HANGING -> comparisons(stage).hanging(rounds);
      case SKEWED -> comparisons(stage).skewed(rounds);
      case WAITING -> comparisons(stage).waiting(waiting);
    }
    return 0;
  }

  /** What a mode has no use for would look as if it had been heeded. */
  private void checkOptions() {
    if (even && mode != PushMode.FAN) {
      refuse("--even is for fan");
    }
    if (warmUp > 0 && mode == PushMode.LATENCY) {
      refuse("--warm-up is for backlogs, not for latency");
    }
  }

  private void refuse(String reason) {
    throw new ParameterException(requireNonNull(spec, "spec is null").commandLine(), reason);
  }

  private void spread(PushStage stage) throws InterruptedException {
    PushEndpoints spread = new PushEndpoints(stage);
    spread.spread(endpoints);
    String name = endpoints + " endpoints";
    PushResult result = new Drain(stage).run("spread", spread, amount(endpoints));
    System.out.printf("%d endpoints in %d workspaces%n", endpoints, endpoints);
    result.print(name);
  }

  private void fan(PushStage stage) throws InterruptedException {
    PushEndpoints fan = new PushEndpoints(stage);
    if (even) {
      fan.evenFan(endpoints);
    } else {
      fan.fan(endpoints);
    }
    PushResult result = new Drain(stage).run("fan", fan, amount(endpoints));
    System.out.printf("one workspace, each capture to %d endpoints%n", endpoints);
    result.print("fan-out to " + endpoints);
  }

  /** What runs here runs there: the roles are commands of the same program. */
  private String program() {
    return requireNonNull(spec, "spec is null").root().userObject().getClass().getName();
  }

  private Drain.Amount amount(int healthy) {
    return Drain.Amount.of(deliveries, warmUp(), healthy);
  }

  private int warmUp() {
    return warmUp > 0 ? warmUp : mode.warmUpRounds() * deliveries;
  }

  private Comparisons comparisons(PushStage stage) {
    return new Comparisons(stage, deliveries, warmUp(), endpoints);
  }
}
