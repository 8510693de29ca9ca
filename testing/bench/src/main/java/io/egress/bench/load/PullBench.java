package io.egress.bench.load;

import io.egress.api.ApiApp;
import io.egress.cli.InternalApi;
import io.egress.embedded.EmbeddedBackends;
import io.egress.platform.database.Database;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.settings.Settings;
import io.egress.transcript.stream.Cursor;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Pages of 100 documents, pulled by gzip clients on the same machine. */
@Command(
    name = "pull",
    description = "Pull: pages a second against pgbench and per-request gzip, memory, and depth.")
final class PullBench implements Callable<Integer> {
  private static final int PAGE = 100;
  private static final String WHOLE = "one request";
  private static final int SEGMENTS_OF_80_KB = 440;

  @Mixin private BenchServers servers = new BenchServers();

  @Option(names = "--documents", defaultValue = "1000", description = "documents of about 80 KB")
  private int documents;

  @Option(names = "--clients", defaultValue = "4", description = "connections that pull")
  private int clients;

  @Option(names = "--crowd", defaultValue = "500", description = "clients in the memory run")
  private int crowd;

  @Option(names = "--seconds", defaultValue = "10", description = "length of each measurement")
  private int seconds;

  @Option(names = "--rounds", defaultValue = "3", description = "how often each is measured")
  private int rounds;

  @Option(names = "--history", defaultValue = "1000000", description = "captures in the depth run")
  private long history;

  @Option(
      names = "--lines",
      description = "also the whole stream in one request; without the memory and depth runs")
  private boolean lines;

  @Option(
      names = "--standby",
      description =
          "the same pages from a standby: the processor time that the primary is spared; nothing else")
  private boolean standby;

  private final Random random = new Random(1);
  private List<Cursor> cursors = List.of();

  @Override
  public Integer call() throws Exception {
    RunningProcess process = RunningProcess.begin();
    EmbeddedBackends backends = servers.start(process);
    Map<String, String> environment = environment(backends);
    environment.putAll(servers.settings());
    Settings settings = Settings.from(environment);
    Vertx vertx = Vertx.vertx();
    process.push(vertx);
    ApiApp app = RunningProcess.await(ApiApp.start(vertx, settings));
    process.pushAsync("the api", app::close);
    InternalApi api = new InternalApi("127.0.0.1", app.internalPort(), settings.internalToken());
    try (History database = new History(vertx, settings.database().url())) {
      UUID workspace = UUID.randomUUID();
      // PostgreSQL scans tables of a few pages instead of using their indexes.
      UUID deep = UUID.randomUUID();
      database.fillSmall(deep, history);
      importDocuments(app, settings, workspace);
      database.analyze();
      String key = mint(api, workspace);
      cursors = database.cursors(workspace, documents);
      if (standby) {
        StandbyPulls.start(process, backends, environment)
            .compare(app, key, this::anyPage, clients, seconds, rounds);
        return 0;
      }
      compare(vertx, settings, app, workspace, key);
      if (!lines) {
        crowd(vertx, app, key);
        depth(vertx, app, mint(api, deep));
        filtered(vertx, app, api, deep);
        new InventoryRun(app.publicPort(), mint(api, deep), settings.database().url(), deep)
            .compare(rounds);
        erased(vertx, app, database, deep, mint(api, deep));
      }
    }
    return 0;
  }

  private void importDocuments(ApiApp app, Settings settings, UUID workspace)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    int batch = 100;
    for (int put = 0; put < documents; put += batch) {
      Buffer lines = History.lines(workspace, Math.min(batch, documents - put), SEGMENTS_OF_80_KB);
      HttpRequest request =
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:" + app.internalPort() + "/internal/v1/captures"))
              .header("authorization", "Bearer " + settings.internalToken())
              .header("content-type", "application/x-ndjson")
              .POST(HttpRequest.BodyPublishers.ofByteArray(lines.getBytes()))
              .build();
      int status = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode();
      if (status != 200) {
        throw new IllegalStateException("the import was answered with " + status);
      }
    }
    double took = (System.nanoTime() - start) / 1e9;
    System.out.printf(
        "imported %,d captures of about 80 KB at %.0f/s%n%n", documents, documents / took);
  }

  private void compare(Vertx vertx, Settings settings, ApiApp app, UUID workspace, String key) {
    Pool pool = Database.pool(vertx, settings.database(), "bench", clients);
    Table table = new Table("pages/s", "documents/s", "MB/s", "p50 ms", "p99 ms");
    HeapPeak heap = new HeapPeak();
    try (heap;
        PerRequestGzip usual = new PerRequestGzip(vertx, pool, workspace)) {
      PullLoad.Target joined = new PullLoad.Target(app.publicPort(), key, this::anyPage);
      PullLoad.Target perRequest =
          new PullLoad.Target(
              usual.port(), key, () -> "/?position=" + random.nextInt(documents - PAGE));
      new PullLoad(vertx, joined, clients).run(seconds);
      new PullLoad(vertx, perRequest, clients).run(1);
      PullLoad.Target whole =
          new PullLoad.Target(
              app.publicPort(), key, "application/x-ndjson", () -> "/api/v1/captures");
      for (int round = 0; round < rounds; round++) {
        table.add("joined fragments", new PullLoad(vertx, joined, clients).run(seconds));
        table.add("per-request gzip", new PullLoad(vertx, perRequest, clients).run(seconds));
        if (lines) {
          table.add(WHOLE, inPages(new PullLoad(vertx, whole, clients).run(seconds)));
        }
        OptionalDouble rows =
            PgBench.pagesPerSecond(
                settings.database().url(), workspace, documents, clients, seconds);
        rows.ifPresent(pages -> table.add("pgbench, rows only", pages));
      }
    } finally {
      RunningProcess.await(pool.close());
    }
    System.out.printf(
        "%d clients, pages of %d documents of about 80 KB, medians of %d rounds%n",
        clients, PAGE, rounds);
    table.print();
    System.out.printf(
        "joined / pgbench %.2f, joined / per-request gzip %.1f%n",
        table.median("joined fragments") / table.median("pgbench, rows only"),
        table.median("joined fragments") / table.median("per-request gzip"));
    if (lines) {
      System.out.printf(
          "one request / pgbench %.2f, one request / joined fragments %.2f%n",
          table.median(WHOLE) / table.median("pgbench, rows only"),
          table.median(WHOLE) / table.median("joined fragments"));
    }
    heap.print();
  }

  /** With the documents of a response counted as pages; the times are those of whole responses. */
  private PullLoad.Result inPages(PullLoad.Result result) {
    return new PullLoad.Result(
        result.pages() * documents / PAGE,
        result.bytes(),
        result.seconds(),
        result.p50Millis(),
        result.p99Millis());
  }

  private void crowd(Vertx vertx, ApiApp app, String key) {
    HeapPeak heap = new HeapPeak();
    Table table = new Table("pages/s", "documents/s", "MB/s", "p50 ms", "p99 ms");
    try (heap) {
      PullLoad.Target target = new PullLoad.Target(app.publicPort(), key, this::anyPage);
      table.add(crowd + " clients", new PullLoad(vertx, target, crowd).run(seconds));
    }
    table.print();
    heap.print();
  }

  private void depth(Vertx vertx, ApiApp app, String key) {
    if (history < PAGE) {
      return;
    }
    Table table = new Table("pages/s", "documents/s", "MB/s", "p50 ms", "p99 ms");
    long[] depths = {0, history / 2, history - PAGE};
    for (int round = 0; round < rounds; round++) {
      for (long depth : depths) {
        // The chain value of a row inserted by the bench is its position.
        String path = path(depth == 0 ? null : new Cursor(depth, depth));
        PullLoad.Target target = new PullLoad.Target(app.publicPort(), key, () -> path);
        table.add("after %,d".formatted(depth), new PullLoad(vertx, target, 1).run(seconds / 3.0));
      }
    }
    System.out.printf("1 client, small documents, a history of %,d%n", history);
    table.print();
  }

  /** The first page of keys that read few of the captures, and of one that reads all. */
  private void filtered(Vertx vertx, ApiApp app, InternalApi api, UUID workspace) {
    if (history < History.RARE) {
      return;
    }
    JsonArray ofWorkspace = new JsonArray().add(workspace.toString());
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("all", mint(api, workspace));
    keys.put("nearly all", mint(api, workspace, new JsonObject().put("devices", ofWorkspace)));
    keys.put(
        "one in %,d".formatted(History.RARE),
        mint(api, workspace, new JsonObject().put("modes", new JsonArray().add("manual"))));
    keys.put(
        "none",
        mint(
            api,
            workspace,
            new JsonObject().put("devices", new JsonArray().add(UUID.randomUUID().toString()))));
    Table table = new Table("pages/s", "documents/s", "MB/s", "p50 ms", "p99 ms");
    for (int round = 0; round < rounds; round++) {
      keys.forEach((reads, key) -> {
        PullLoad.Target target = new PullLoad.Target(app.publicPort(), key, () -> path(null));
        table.add(reads, new PullLoad(vertx, target, 1).run(seconds / 3.0));
      });
    }
    System.out.printf(
        "1 client, a page of %d of keys that read only a part of a history of %,d%n",
        PAGE, history);
    table.print();
  }

  /** Pages from the beginning, of which more and more is erased. */
  private void erased(Vertx vertx, ApiApp app, History database, UUID workspace, String key) {
    if (history < 4L * PAGE) {
      return;
    }
    Table table = new Table("pages/s", "documents/s", "MB/s", "p50 ms", "p99 ms");
    PullLoad.Target target = new PullLoad.Target(app.publicPort(), key, () -> path(null));
    table.add("nothing erased", new PullLoad(vertx, target, 1).run(seconds));
    database.eraseEverySecond(workspace, 2L * PAGE);
    table.add("each second erased", new PullLoad(vertx, target, 1).run(seconds));
    database.eraseUpTo(workspace, history - PAGE);
    table.add("%,d erased".formatted(history - PAGE), new PullLoad(vertx, target, 1).run(seconds));
    System.out.printf("1 client, a page of %d after what was erased%n", PAGE);
    table.print();
  }

  private String anyPage() {
    int position = random.nextInt(documents - PAGE);
    return path(position == 0 ? null : cursors.get(position - 1));
  }

  private static String path(@Nullable Cursor after) {
    String page = "/api/v1/captures?limit=" + PAGE;
    return after == null ? page : page + "&after=" + after.encode();
  }

  private static String mint(InternalApi api, UUID workspace) {
    return mint(api, workspace, null);
  }

  private static String mint(InternalApi api, UUID workspace, @Nullable JsonObject filter) {
    return api.call(
            "POST",
            "/workspaces/" + workspace + "/api-keys",
            new JsonObject().put("name", "bench").put("filter", filter))
        .getString("key");
  }

  private static Map<String, String> environment(EmbeddedBackends backends) {
    Map<String, String> environment = new TreeMap<>();
    environment.put("EGRESS_DATABASE_URL", backends.databaseUrl());
    environment.put("EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap());
    environment.put("EGRESS_INTERNAL_TOKEN", UUID.randomUUID().toString());
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("EGRESS_PUBLIC_HOST", "127.0.0.1");
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_ACCESS_LOG", "false");
    return environment;
  }
}
