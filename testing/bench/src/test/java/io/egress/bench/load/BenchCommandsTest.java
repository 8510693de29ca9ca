package io.egress.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.bench.ShortLived;
import io.egress.standalone.run.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The documented commands, with little to deliver. */
class BenchCommandsTest {
  private final Path folder;

  BenchCommandsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  @Tag("long")
  void drainsABacklogAndCountsEveryWebhookOnce() throws Exception {
    try (ChildProcess bench = push("spread", "--deliveries", "200", "--endpoints", "10")) {
      String counted = bench.await("10 endpoints: (\\d+) webhooks of").group(1);
      String attempts = bench.await("attempts by outcome.*: \\{(.*)}").group(1);
      String row = bench.await("(?m)^10 endpoints  .*$").group();
      bench.await("processor seconds in .*dispatcher \\d");

      assertThat(counted).isEqualTo("199");
      assertThat(attempts).isEqualTo("delivered=400");
      assertThat(row).as("no duplicates").endsWith(" 0.0");
      assertEnds(bench);
    }
  }

  @Test
  @Tag("long")
  void measuresLatencyFromTheHook() throws Exception {
    try (ChildProcess bench =
        push("latency", "--pace", "20", "--seconds", "3", "--warm-up", "1", "--anatomy")) {
      String row = bench.await("(?m)^hook to receiver .*$").group();

      assertThat(row).doesNotContain("NaN");
      bench.await("0 calls of the hook were refused");
      assertThat(bench.await("(?m)^  the attempt to the receiver .*$").group())
          .doesNotContain("NaN");
      for (String part : PushStage.SERVICE) {
        bench.await("(?m)^  " + part + " +together +[1-9]");
      }
      bench.await("(?m)^  FetchConsumer +[1-9]");
      bench.await("(?m)^ +[01]\\.\\d\\d +\\d+  insert into captures");
      assertEnds(bench);
    }
  }

  @Test
  @Tag("long")
  void measuresOnAnAgedDatabase() throws Exception {
    try (ChildProcess bench =
        push("spread", "--aged", "20000", "--deliveries", "200", "--endpoints", "10")) {
      bench.await("a database of 20,000 captures in 12 months, [\\d,]+ MB, made \\d+ minutes ago");
      String row = bench.await("(?m)^10 endpoints  .*$").group();

      assertThat(row).as("no duplicates").endsWith(" 0.0");
      assertThat(bench.await("attempts by outcome.*: \\{(.*)}").group(1)).contains("delivered=400");
      assertEnds(bench);
    }
  }

  @Test
  @Tag("long")
  void stopsItsProcessesWhenInterrupted() throws Exception {
    try (ChildProcess bench =
        push("spread", "--deliveries", "2000000", "--warm-up", "1", "--endpoints", "5")) {
      bench.await("receiver: https");
      List<ProcessHandle> started = new ArrayList<>(bench.handle().descendants().toList());

      bench.handle().destroy();

      assertEnds(bench);
      assertThat(started).isNotEmpty().noneMatch(ProcessHandle::isAlive);
    }
  }

  @Test
  @Tag("long")
  void floodsTheHookAndPrintsTheCostOfEachPart() throws Exception {
    try (ChildProcess bench = bench("ingest", "--seconds", "3", "--warm-up", "1", "--plain")) {
      bench.await("[1-9]\\d* captures a second .* 0 calls refused, 0 duplicates");
      for (String part : PushStage.SERVICE) {
        bench.await("(?m)^" + part + " +\\d");
      }
      assertEnds(bench);
    }
  }

  @Test
  @Tag("long")
  void printsTheCostOfAnIdleService() throws Exception {
    try (ChildProcess bench = bench("idle", "--settle", "1", "--seconds", "2")) {
      String together = bench.await("(?m)^together .*$").group();

      assertThat(together).doesNotContain("NaN").doesNotEndWith(" 0.0");
      assertEnds(bench);
    }
  }

  @Test
  @Tag("long")
  void measuresAFleetAndTheLossOfOneOfIt() throws Exception {
    List<String> small = List.of("--endpoints", "20", "--in-flight", "16");
    List<String> brief = List.of("--processes", "1", "--fleet", "2", "--warm-up", "1");
    List<String> arguments = new ArrayList<>(List.of("scale", "--plain", "--seconds", "2"));
    arguments.addAll(small);
    arguments.addAll(brief);
    try (ChildProcess bench = bench(arguments.toArray(String[]::new))) {
      bench.await("(?m)^1 process\\(es\\): [1-9]\\d* deliveries/s");
      Matcher lost =
          bench.await("kill -9: (\\d+) of (\\d+) healthy endpoints .* \\(all of them\\)");
      String last = bench.await("(?m)^it started again .*$").group();

      assertThat(bench.output()).doesNotContain("NaN");
      assertThat(lost.group(2)).as("70% of the endpoints").isEqualTo("14");
      assertThat(Integer.parseInt(lost.group(1))).isBetween(0, 14);
      assertThat(last).isNotBlank();
      bench.await("\\d+ duplicates, 0 calls refused");
      assertEnds(bench);
    }
  }

  @Test
  @Tag("long")
  void comparesPagesFromThePrimaryWithThoseFromAStandby() throws Exception {
    try (ChildProcess bench =
        bench("pull", "--standby", "--documents", "200", "--history", "0", "--seconds", "1")) {
      String primary = bench.await("(?m)^from the primary .*$").group();
      String standby = bench.await("(?m)^from a standby .*$").group();

      assertThat(primary + standby).doesNotContain("NaN");
      assertEnds(bench);
    }
  }

  private ChildProcess push(String... arguments) {
    List<String> all = new ArrayList<>(List.of("push"));
    all.addAll(List.of(arguments));
    return bench(all.toArray(String[]::new));
  }

  private ChildProcess bench(String... arguments) {
    List<String> all = new ArrayList<>(List.of("bench"));
    all.addAll(List.of(arguments));
    return ShortLived.start(folder, all.toArray(String[]::new));
  }

  private static void assertEnds(ChildProcess bench) throws Exception {
    bench.handle().onExit().get(90, TimeUnit.SECONDS);
  }
}
