package io.egress.bench.load;

import io.egress.platform.lifecycle.RunningProcess;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures deliveries of 20 KB documents at the receiver. */
@Command(
    name = "push",
    description =
        "Sends webhooks of 20 KB documents to a receiver on this machine and counts them.")
final class PushBench {
  private static final String DELIVERIES =
      "deliveries to count, after the warm-up (default: ${DEFAULT-VALUE})";
  private static final String ENDPOINTS = "(default: ${DEFAULT-VALUE})";
  private static final String ROUNDS =
      "number of comparisons; medians are printed (default: ${DEFAULT-VALUE})";
  private static final String WARM_UP = "deliveries before any is counted (default: ";

  /** HotSpot compiles the code of a comparison for longer than that of one measurement. */
  private static final int COMPARISON_WARM_UP = 3;

  /** At 300 captures a second, HotSpot compiles in four processes for more than a minute. */
  private static final int LATENCY_WARM_UP_SECONDS_MAX = 180;

  /** The deliveries on each side of a comparison. */
  static final class ComparedBacklog {
    @Option(names = "--deliveries", defaultValue = "100000", description = DELIVERIES)
    private int deliveries;

    @Option(names = "--warm-up", description = WARM_UP + "three times as many as are counted)")
    private @Nullable Integer warmUp;
  }

  @Command(name = "spread", description = "Drains a backlog to endpoints in a workspace each.")
  int spread(
      @Mixin PushOptions options,
      @Option(names = "--deliveries", defaultValue = "300000", description = DELIVERIES)
          int deliveries,
      @Option(names = "--warm-up", description = WARM_UP + "as many as are counted)")
          @Nullable Integer warmUp,
      @Option(names = "--endpoints", defaultValue = "100", description = ENDPOINTS) int endpoints)
      throws InterruptedException {
    PushStage stage = open(options);
    PushEndpoints spread = new PushEndpoints(stage);
    spread.spread(endpoints);
    Drain.Amount amount = Drain.Amount.of(deliveries, orElse(warmUp, deliveries), endpoints);
    PushResult result = new Drain(stage).run("spread", spread, amount);
    System.out.printf("%d endpoints in %d workspaces%n", endpoints, endpoints);
    result.print(endpoints + " endpoints");
    return 0;
  }

  @Command(
      name = "stream",
      description =
          "Drains a backlog to endpoints that are sent the stream itself, in a workspace each.")
  int stream(
      @Mixin PushOptions options,
      @Option(
              names = "--pages",
              defaultValue = "3000",
              description = "pages to count, after the warm-up (default: ${DEFAULT-VALUE})")
          int pages,
      @Option(names = "--warm-up", description = "as many as are counted, if not given")
          @Nullable Integer warmUp,
      @Option(names = "--batch", defaultValue = "100", description = "captures a page " + ENDPOINTS)
          int batch,
      @Option(names = "--endpoints", defaultValue = "100", description = ENDPOINTS) int endpoints)
      throws InterruptedException {
    PushStage stage = open(options);
    PushEndpoints streams = new PushEndpoints(stage);
    streams.streams(endpoints, batch);
    Drain.Amount amount = Drain.Amount.of(pages, orElse(warmUp, pages), endpoints);
    PushResult result = new Drain(stage).run("stream", streams, amount, batch);
    System.out.printf(
        "%d endpoints in %d workspaces; a delivery is a page of %d captures%n",
        endpoints, endpoints, batch);
    result.print(endpoints + " streams");
    return 0;
  }

  @Command(
      name = "fan",
      description = "Drains a backlog to endpoints that are all in one workspace.")
  int fan(
      @Mixin PushOptions options,
      @Option(names = "--deliveries", defaultValue = "300000", description = DELIVERIES)
          int deliveries,
      @Option(names = "--warm-up", description = WARM_UP + "twice as many as are counted)")
          @Nullable Integer warmUp,
      @Option(names = "--endpoints", defaultValue = "50", description = ENDPOINTS) int endpoints)
      throws InterruptedException {
    PushStage stage = open(options);
    PushEndpoints fan = new PushEndpoints(stage);
    fan.fan(endpoints);
    Drain.Amount amount = Drain.Amount.of(deliveries, orElse(warmUp, 2 * deliveries), endpoints);
    PushResult result = new Drain(stage).run("fan", fan, amount);
    System.out.printf("one workspace, each capture to %d endpoints%n", endpoints);
    result.print("fan-out to " + endpoints);
    return 0;
  }

  @Command(
      name = "hanging",
      description = "Compares endpoints with the same endpoints while one more hangs.")
  int hanging(
      @Mixin PushOptions options,
      @Mixin ComparedBacklog backlog,
      @Option(
              names = "--endpoints",
              defaultValue = "10",
              description = "with the one that hangs " + ENDPOINTS)
          int endpoints,
      @Option(names = "--rounds", defaultValue = "3", description = ROUNDS) int rounds)
      throws InterruptedException {
    comparisons(options, backlog, endpoints).hanging(rounds);
    return 0;
  }

  @Command(
      name = "skewed",
      description = "Compares a backlog in one partition with one that is spread out.")
  int skewed(
      @Mixin PushOptions options,
      @Mixin ComparedBacklog backlog,
      @Option(names = "--endpoints", defaultValue = "100", description = ENDPOINTS) int endpoints,
      @Option(names = "--rounds", defaultValue = "3", description = ROUNDS) int rounds)
      throws InterruptedException {
    comparisons(options, backlog, endpoints).skewed(rounds);
    return 0;
  }

  @Command(
      name = "waiting",
      description = "Measures rate and heap while records wait in the retry topics, and without.")
  int waiting(
      @Mixin PushOptions options,
      @Mixin ComparedBacklog backlog,
      @Option(names = "--endpoints", defaultValue = "100", description = ENDPOINTS) int endpoints,
      @Option(
              names = "--records",
              defaultValue = "1000000",
              description = "waiting records (default: ${DEFAULT-VALUE})")
          int records)
      throws InterruptedException {
    comparisons(options, backlog, endpoints).waiting(records);
    return 0;
  }

  @Command(
      name = "latency",
      description = "Measures the time from the hook's call to the receiver at a steady pace.")
  int latency(
      @Mixin PushOptions options,
      @Option(
              names = "--pace",
              defaultValue = "300",
              description = "captures a second (default: ${DEFAULT-VALUE})")
          int pace,
      @Option(
              names = "--seconds",
              defaultValue = "60",
              description = "length of the measurement (default: ${DEFAULT-VALUE})")
          int seconds,
      @Option(
              names = "--warm-up",
              description = "seconds before it (default: three times --seconds, 180 at most)")
          @Nullable Integer warmUp,
      @Option(names = "--endpoints", defaultValue = "100", description = ENDPOINTS) int endpoints,
      @Option(
              names = "--anatomy",
              description =
                  "then print what a capture costs, by stage, thread, request and statement")
          boolean isWithAnatomy)
      throws InterruptedException {
    int warmUpSeconds = orElse(warmUp, Math.min(LATENCY_WARM_UP_SECONDS_MAX, 3 * seconds));
    new HookLatency(open(options), endpoints).run(pace, warmUpSeconds, seconds, isWithAnatomy);
    return 0;
  }

  @Command(
      name = "neighbours",
      description = "Measures the webhooks of others while one workspace has a burst.")
  int neighbours(
      @Mixin PushOptions options,
      @Option(
              names = "--endpoints",
              defaultValue = "100",
              description = "of the burst's workspace (default: ${DEFAULT-VALUE})")
          int endpoints,
      @Option(
              names = "--captures",
              defaultValue = "300",
              description = "of the burst, a thousand a second (default: ${DEFAULT-VALUE})")
          int captures,
      @Option(
              names = "--receivers",
              defaultValue = "healthy",
              description =
                  "of the burst: healthy, refusing or hanging (default: ${DEFAULT-VALUE})")
          Neighbours.Kind receivers,
      @Option(
              names = "--dispatchers",
              defaultValue = "1",
              description = "processes (default: ${DEFAULT-VALUE})")
          int dispatchers,
      @Option(
              names = "--pace",
              defaultValue = "8",
              description = "captures of the four others a second (default: ${DEFAULT-VALUE})")
          int pace,
      @Option(
              names = "--seconds",
              defaultValue = "30",
              description = "before the burst, and of the warm-up (default: ${DEFAULT-VALUE})")
          int seconds,
      @Option(
              names = "--seconds-max",
              defaultValue = "90",
              description = "of the burst (default: ${DEFAULT-VALUE})")
          int secondsMax)
      throws InterruptedException {
    new Neighbours(open(options), endpoints, receivers)
        .run(dispatchers, captures, pace, seconds, secondsMax);
    return 0;
  }

  private static PushStage open(PushOptions options) throws InterruptedException {
    PushStage stage = PushStage.open(RunningProcess.begin(), options);
    System.out.printf("receiver: %s, 20 KB documents%n", options.plain() ? "http" : "https");
    return stage;
  }

  private static Comparisons comparisons(
      PushOptions options, ComparedBacklog backlog, int endpoints) throws InterruptedException {
    int warmUp = orElse(backlog.warmUp, COMPARISON_WARM_UP * backlog.deliveries);
    return new Comparisons(open(options), backlog.deliveries, warmUp, endpoints);
  }

  private static int orElse(@Nullable Integer given, int standard) {
    return given == null ? standard : given;
  }
}
