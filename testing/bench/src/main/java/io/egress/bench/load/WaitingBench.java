package io.egress.bench.load;

import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.demo.SampleConversations;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Clients that wait for captures, all of them connected. */
@Command(
    name = "waiting",
    description = "Measures pulls with wait: memory, processor time, and commit to answer.")
final class WaitingBench implements Callable<Integer> {
  private static final int CONNECTED_AT_A_TIME = 100;
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final Duration ALL_HELD_MAX = Duration.ofMinutes(2);
  private static final int ANSWERS_SECONDS_MAX = 30;
  private static final int SEGMENTS = 4;

  @Mixin private PushOptions options = new PushOptions();

  @Option(names = "--clients", defaultValue = "10000", description = "clients that wait")
  private int clients;

  @Option(
      names = "--workspaces",
      defaultValue = "1000",
      description = "workspaces that they share, each with one key")
  private int workspaces;

  @Option(names = "--rate", defaultValue = "20", description = "captures a second")
  private int rate;

  @Option(
      names = "--seconds",
      defaultValue = "20",
      description = "length of the measurement, and of the rest before it")
  private int seconds;

  private record Answered(UUID captureId, Instant at) {}

  private final LongSupplier clock = System::nanoTime;
  private final List<UUID> all = new ArrayList<>();
  private final List<String> keys = new ArrayList<>();

  /** Owned by the clients' event loop. */
  private final List<Answered> answers = new ArrayList<>();

  private Promise<Void> everything = Promise.promise();
  private long expected = Long.MAX_VALUE;
  private boolean stopped;
  private long failures;

  @Override
  public Integer call() throws Exception {
    PushStage stage =
        PushStage.open(RunningProcess.begin(), options, Map.of("EGRESS_ACCESS_LOG", "false"));
    for (int i = 0; i < workspaces; i++) {
      UUID workspace = UUID.randomUUID();
      all.add(workspace);
      keys.add(
          stage
              .api()
              .call(
                  "POST",
                  "/workspaces/" + workspace + "/api-keys",
                  new JsonObject().put("name", "bench"))
              .getString("key"));
    }
    Vertx vertx = stage.vertx();
    HttpClient http =
        vertx.createHttpClient(
            new HttpClientOptions().setKeepAlive(true).setDefaultHost("127.0.0.1"),
            new PoolOptions().setHttp1MaxSize(clients + 1));
    Context context = vertx.getOrCreateContext();
    int first = Math.min(clients, CONNECTED_AT_A_TIME);
    context.runOnContext(_ -> connect(vertx, http, stage.publicPort(), 0, first));
    awaitHeld(stage, first);
    long before = stage.apiResidentKilobytes();
    context.runOnContext(_ -> connect(vertx, http, stage.publicPort(), first, clients));
    awaitHeld(stage, clients);
    long kilobytes = stage.apiResidentKilobytes() - before;
    System.out.printf(
        "%,d clients of %,d workspaces wait: resident memory of the api +%,d MB since the first %d%n",
        clients, workspaces, kilobytes >> 10, first);

    awaitAnswers(context, put(stage));
    context.runOnContext(_ -> {
      answers.clear();
      expected = Long.MAX_VALUE;
    });

    ProcessorTime rest = stage.processorTimeOfPulls();
    TimeUnit.SECONDS.sleep(seconds);
    print("nothing happens", rest.end());

    ProcessorTime busy = stage.processorTimeOfPulls();
    int captures = put(stage);
    awaitAnswers(context, captures);
    Map<String, Double> used = busy.end();
    Promise<List<Answered>> taken = Promise.promise();
    context.runOnContext(_ -> {
      stopped = true;
      taken.complete(List.copyOf(answers));
    });
    List<Answered> answered = RunningProcess.await(taken.future());
    print(captures + " captures", used);
    printLatencies(stage, answered);
    http.close();
    return 0;
  }

  private void awaitAnswers(Context context, int captures) {
    Promise<Void> answered = Promise.promise();
    context.runOnContext(_ -> {
      everything = answered;
      expected = (long) captures * (clients / workspaces);
      completeIfAnswered();
    });
    try {
      answered.future().await(ANSWERS_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      System.out.println("not all answers have come");
    }
  }

  /** Over the time that requests are held, so that as few end at a time as in operation. */
  private void connect(Vertx vertx, HttpClient http, int port, int from, int end) {
    int to = Math.min(end, from + CONNECTED_AT_A_TIME);
    for (int client = from; client < to; client++) {
      pull(vertx, http, port, keys.get(client % workspaces), null);
    }
    if (to < end) {
      vertx.setTimer(
          Math.max(1, WAIT.toMillis() * CONNECTED_AT_A_TIME / clients),
          _ -> connect(vertx, http, port, to, end));
    }
  }

  private void pull(Vertx vertx, HttpClient http, int port, String key, @Nullable String cursor) {
    if (stopped) {
      return;
    }
    http.request(
            new RequestOptions()
                .setMethod(HttpMethod.GET)
                .setPort(port)
                .setURI(
                    "/api/v1/captures?wait="
                        + WAIT.toSeconds()
                        + (cursor == null ? "" : "&after=" + cursor))
                .putHeader("authorization", "Bearer " + key))
        .compose(request -> request.send().compose(HttpClientResponse::body))
        .onSuccess(body -> {
          JsonObject page = body.toJsonObject();
          note(page.getJsonArray("captures"));
          String end = page.getJsonObject("pageInfo").getString("endCursor");
          pull(vertx, http, port, key, end == null ? cursor : end);
        })
        .onFailure(_ -> {
          failures++;
          vertx.setTimer(1_000, _ -> pull(vertx, http, port, key, cursor));
        });
  }

  private void note(JsonArray captures) {
    Instant now = Instant.now();
    for (Object capture : captures) {
      answers.add(new Answered(UUID.fromString(((JsonObject) capture).getString("id")), now));
    }
    completeIfAnswered();
  }

  private void completeIfAnswered() {
    if (answers.size() >= expected) {
      everything.tryComplete();
    }
  }

  private void awaitHeld(PushStage stage, int count) throws IOException, InterruptedException {
    HttpRequest metrics =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + stage.internalPort() + "/metrics"))
            .build();
    java.net.http.HttpClient client = java.net.http.HttpClient.newHttpClient();
    long end = clock.getAsLong() + ALL_HELD_MAX.toNanos();
    String held = "egress_pull_held " + (double) count;
    while (client.send(metrics, BodyHandlers.ofString()).body().lines().noneMatch(held::equals)) {
      if (clock.getAsLong() > end) {
        throw new IllegalStateException("not all clients are held");
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  /** Returns the number of captures. */
  private int put(PushStage stage) {
    Random random = new Random(1);
    List<Future<?>> puts = new ArrayList<>();
    HttpClient http =
        stage.vertx().createHttpClient(new HttpClientOptions().setDefaultHost("127.0.0.1"));
    int captures = rate * seconds;
    long begin = clock.getAsLong();
    for (int i = 0; i < captures; i++) {
      long due = begin + TimeUnit.SECONDS.toNanos(1) * i / rate;
      while (clock.getAsLong() < due) {
        LockSupport.parkNanos(due - clock.getAsLong());
      }
      UUID workspace = all.get(random.nextInt(workspaces));
      JsonObject capture = new SampleConversations(i, workspace).next(SEGMENTS);
      puts.add(
          http.request(
                  new RequestOptions()
                      .setMethod(HttpMethod.PUT)
                      .setPort(stage.internalPort())
                      .setURI("/internal/v1/captures/" + UUID.randomUUID())
                      .putHeader("authorization", "Bearer " + stage.settings().internalToken())
                      .putHeader("content-type", "application/json"))
              .compose(request -> request.send(capture.toBuffer()))
              .compose(HttpClientResponse::end));
    }
    RunningProcess.await(Future.all(puts));
    return captures;
  }

  private static void print(String what, Map<String, Double> seconds) {
    double elapsed = seconds.getOrDefault(ProcessorTime.ELAPSED, Double.NaN);
    System.out.printf("%s, %% of a core:", what);
    seconds.forEach((part, used) -> {
      if (!part.equals(ProcessorTime.ELAPSED)) {
        System.out.printf("  %s %.1f", part, used / elapsed * 100);
      }
    });
    System.out.println();
  }

  /** From a capture's entry into the stream, by the clock that both share. */
  private void printLatencies(PushStage stage, List<Answered> answered) {
    Map<UUID, Instant> entered = new HashMap<>();
    for (Row row :
        RunningProcess.await(
            stage
                .history()
                .pool()
                .preparedQuery(
                    "select capture_id, entered_at from stream where workspace_id = any($1)")
                .execute(Tuple.tuple().addArrayOfUUID(all.toArray(UUID[]::new))))) {
      entered.put(row.getUUID(0), row.getOffsetDateTime(1).toInstant());
    }
    Latencies latencies = new Latencies();
    for (Answered each : answered) {
      Instant from = entered.get(each.captureId);
      if (from != null) {
        latencies.add(Duration.between(from, each.at).toNanos());
      }
    }
    System.out.printf(
        "%,d answers, commit to answer p50 %.1f, p99 %.1f, max %.1f ms; %d requests failed%n",
        latencies.count(),
        latencies.percentileMillis(50),
        latencies.percentileMillis(99),
        latencies.percentileMillis(100),
        failures);
  }
}
