package io.egress.bench.load;

import static java.util.Objects.requireNonNull;

import io.egress.api.ApiApp;
import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.PostgresServer;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.settings.Settings;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The same pages from the primary and from a standby: what the primary is spared. */
final class StandbyPulls {
  private static final String PRIMARY = "primary";
  private static final String STANDBY = "standby";
  private static final String HEALTHY = "\"standby\":\"up\"";

  private final Vertx vertx;
  private final PostgresServer primary;
  private final PostgresServer standby;
  private final ApiApp reading;

  private StandbyPulls(
      Vertx vertx, PostgresServer primary, PostgresServer standby, ApiApp reading) {
    this.vertx = vertx;
    this.primary = primary;
    this.standby = standby;
    this.reading = reading;
  }

  /** Starts a standby of the embedded server, and a second api that reads pages from it. */
  static StandbyPulls start(
      RunningProcess process, EmbeddedBackends backends, Map<String, String> environment)
      throws IOException, InterruptedException {
    PostgresServer standby =
        PostgresServer.startStandby(backends.dataDir().resolve(STANDBY), backends.postgres());
    process.push("the standby", standby);
    Map<String, String> changed = new TreeMap<>(environment);
    changed.put("EGRESS_DATABASE_READ_URL", standby.databaseUrl());
    Vertx vertx = Vertx.vertx();
    process.push(vertx);
    ApiApp reading = RunningProcess.await(ApiApp.start(vertx, Settings.from(changed)));
    process.pushAsync("the api that reads from the standby", reading::close);
    awaitStandby(reading);
    return new StandbyPulls(vertx, backends.postgres(), standby, reading);
  }

  /** It has to replay the documents first. */
  private static void awaitStandby(ApiApp reading) throws IOException, InterruptedException {
    HttpRequest health =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + reading.publicPort() + "/health/ready"))
            .build();
    HttpClient client = HttpClient.newHttpClient();
    while (!client.send(health, BodyHandlers.ofString()).body().contains(HEALTHY)) {
      Thread.onSpinWait();
    }
  }

  /** Prints the processor time that PostgreSQL used for a page, by server. */
  void compare(
      ApiApp plain, String key, Supplier<String> path, int clients, int seconds, int rounds) {
    Table table = new Table("pages/s", "p50 ms", "p99 ms", "primary us", "standby us");
    PullLoad.Target without = new PullLoad.Target(plain.publicPort(), key, path);
    PullLoad.Target with = new PullLoad.Target(reading.publicPort(), key, path);
    new PullLoad(vertx, with, clients).run(seconds);
    for (int round = 0; round < rounds; round++) {
      add(table, "from the primary", without, clients, seconds);
      add(table, "from a standby", with, clients, seconds);
    }
    System.out.printf(
        "%d clients, processor time of PostgreSQL for each page, medians of %d rounds%n",
        clients, rounds);
    table.print();
  }

  private void add(Table table, String row, PullLoad.Target target, int clients, int seconds) {
    ProcessorTime used =
        ProcessorTime.begin(Map.of(PRIMARY, processes(primary), STANDBY, processes(standby)));
    PullLoad.Result result = new PullLoad(vertx, target, clients).run(seconds);
    Map<String, Double> spent = used.end();
    table.add(
        row,
        result.pagesPerSecond(),
        result.p50Millis(),
        result.p99Millis(),
        micros(spent, PRIMARY, result),
        micros(spent, STANDBY, result));
  }

  private static double micros(Map<String, Double> spent, String server, PullLoad.Result result) {
    return requireNonNull(spent.get(server)) * 1e6 / result.pages();
  }

  private static Supplier<Stream<ProcessHandle>> processes(PostgresServer server) {
    long pid =
        Long.parseLong(
            requireNonNull(
                server.query("select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)")));
    ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
    return () -> Stream.concat(Stream.of(postmaster), postmaster.children());
  }
}
