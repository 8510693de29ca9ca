package io.egress.bench.load;

import io.egress.standalone.demo.SampleConversations;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** What a workspace with many captures does, by several clients at a time until it is over. */
final class BulkWork {
  /** The kinds, in the order in which they are measured; the last ends the workspace. */
  enum Kind {
    IMPORT,
    EXPORT,
    SEARCH,
    VERIFY,
    REPLAY,
    ERASE
  }

  private static final int CLIENTS = 8;
  private static final int SEGMENTS = 20;
  private static final long PAUSE_MILLIS = 200;

  private final PushStage stage;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final UUID workspace;
  private final UUID endpoint;
  private final String key;

  /** In a workspace with so many captures, of which none was delivered. */
  BulkWork(PushStage stage, long captures) {
    this.stage = stage;
    PushEndpoints endpoints = new PushEndpoints(stage);
    endpoints.spread(1);
    this.workspace = endpoints.made().getFirst().workspace();
    this.endpoint = endpoints.made().getFirst().id();
    this.key =
        stage
            .api()
            .call("POST", path("/api-keys"), new JsonObject().put("name", "bulk"))
            .getString("key");
    stage.history().fillSmall(workspace, captures);
  }

  /** Returns what was done. */
  String run(Kind kind, BooleanSupplier isOver) throws InterruptedException {
    return switch (kind) {
      case IMPORT -> repeat(() -> send(capture()), isOver) + " captures put";
      case EXPORT -> repeat(() -> send(export()), isOver) + " exports of the whole stream";
      case SEARCH ->
          repeat(() -> send(internal("GET", path("/captures?search=nothing-of-it"))), isOver)
              + " searches for what is not there";
      case VERIFY ->
          repeat(
                  () -> send(internal("GET", path("/endpoints/" + endpoint + "/verification"))),
                  isOver)
              + " verifications";
      case REPLAY -> {
        stage
            .api()
            .call(
                "POST",
                path("/endpoints/" + endpoint + "/replays"),
                new JsonObject().put("from_position", 1));
        await(isOver);
        yield "a replay of everything";
      }
      case ERASE -> {
        stage.api().call("DELETE", path(""), new JsonObject());
        await(isOver);
        yield "the erasure of everything";
      }
    };
  }

  private String path(String below) {
    return "/workspaces/" + workspace + below;
  }

  private interface Work {
    int status();
  }

  /** What is refused because others of its kind run is tried again later. */
  private static int repeat(Work work, BooleanSupplier isOver) throws InterruptedException {
    List<Thread> clients = new ArrayList<>();
    int[] done = new int[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
      int client = i;
      clients.add(
          Thread.ofVirtual()
              .start(() -> {
                while (!isOver.getAsBoolean()) {
                  if (work.status() < 300) {
                    done[client]++;
                  } else {
                    pause();
                  }
                }
              }));
    }
    int sum = 0;
    for (int i = 0; i < CLIENTS; i++) {
      clients.get(i).join();
      sum += done[i];
    }
    return sum;
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private static void await(BooleanSupplier isOver) throws InterruptedException {
    while (!isOver.getAsBoolean()) {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
  }

  private HttpRequest capture() {
    return internalRequest("/captures/" + UUID.randomUUID())
        .header("content-type", "application/json")
        .PUT(
            BodyPublishers.ofString(
                new SampleConversations(System.nanoTime(), workspace).next(SEGMENTS).encode()))
        .build();
  }

  private HttpRequest export() {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + stage.publicPort() + "/api/v1/captures"))
        .header("authorization", "Bearer " + key)
        .header("accept", "application/x-ndjson")
        .build();
  }

  private HttpRequest internal(String method, String path) {
    return internalRequest(path).method(method, BodyPublishers.noBody()).build();
  }

  private HttpRequest.Builder internalRequest(String path) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + stage.internalPort() + "/internal/v1" + path))
        .header("authorization", "Bearer " + stage.settings().internalToken());
  }

  /** Its status, once its body has been read; a connection that was closed is a refusal. */
  private int send(HttpRequest request) {
    try {
      return http.sendAsync(request, BodyHandlers.discarding()).join().statusCode();
    } catch (CompletionException closed) {
      return Integer.MAX_VALUE;
    }
  }
}
