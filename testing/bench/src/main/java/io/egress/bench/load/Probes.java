package io.egress.bench.load;

import io.egress.standalone.demo.SampleConversations;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Calls the hook, pulls a page and opens a page of the settings of a few workspaces, each at a
 * steady pace. A call that is due while an earlier one is not answered counts from when it was due.
 */
final class Probes {
  /** How long each kind of call took. */
  record Result(Latencies hook, Latencies pull, Latencies page) {}

  private static final int WORKSPACES = 4;
  private static final Duration ANSWER_MAX = Duration.ofSeconds(60);
  private static final int SEGMENTS = 20;

  private interface Call {
    HttpRequest of(Neighbour neighbour);
  }

  /** A workspace with a key, and the cookie of a session. */
  private record Neighbour(UUID workspace, String key, String cookie) {}

  private final PushStage stage;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<Neighbour> neighbours = new ArrayList<>();
  private final SampleConversations conversations;
  private final double perSecond;

  Probes(PushStage stage, double perSecond) {
    this.stage = stage;
    this.perSecond = perSecond;
    PushEndpoints endpoints = new PushEndpoints(stage);
    endpoints.spread(WORKSPACES);
    endpoints.workspaces().forEach(workspace -> neighbours.add(neighbour(workspace)));
    this.conversations = new SampleConversations(1, endpoints.workspaces().getFirst());
  }

  private Neighbour neighbour(UUID workspace) {
    String path = "/workspaces/" + workspace;
    String key =
        stage
            .api()
            .call("POST", path + "/api-keys", new JsonObject().put("name", "probe"))
            .getString("key");
    String link =
        stage
            .api()
            .call("POST", path + "/portal-links", new JsonObject().put("role", "view"))
            .getString("url");
    HttpResponse<String> opened =
        send(
            HttpRequest.newBuilder(internal("/portal/open"))
                .header("content-type", "application/x-www-form-urlencoded")
                .header("sec-fetch-site", "same-origin")
                .POST(BodyPublishers.ofString("token=" + link.substring(link.indexOf('#') + 1)))
                .build());
    String cookie = opened.headers().firstValue("set-cookie").orElseThrow().split(";", -1)[0];
    return new Neighbour(workspace, key, cookie);
  }

  /** Until it is over, and every call is answered. */
  Result run(BooleanSupplier isOver) throws InterruptedException {
    Result result = new Result(new Latencies(), new Latencies(), new Latencies());
    List<Thread> running =
        List.of(
            repeat(this::hook, result.hook(), isOver),
            repeat(this::pull, result.pull(), isOver),
            repeat(this::page, result.page(), isOver));
    for (Thread each : running) {
      each.join();
    }
    return result;
  }

  private Thread repeat(Call call, Latencies latencies, BooleanSupplier isOver) {
    return Thread.ofVirtual()
        .start(() -> {
          Random random = new Random(1);
          long apart = (long) (TimeUnit.SECONDS.toNanos(1) / perSecond);
          for (long due = System.nanoTime(); !isOver.getAsBoolean(); due += apart) {
            LockSupport.parkNanos(due - System.nanoTime());
            Neighbour neighbour = neighbours.get(random.nextInt(neighbours.size()));
            HttpResponse<String> answer = send(call.of(neighbour));
            if (answer.statusCode() >= 300) {
              throw new IllegalStateException(
                  answer.request().uri() + " was answered " + answer.statusCode());
            }
            latencies.add(System.nanoTime() - due);
          }
        });
  }

  private HttpRequest hook(Neighbour neighbour) {
    JsonObject capture =
        conversations.next(SEGMENTS).put("workspace_id", neighbour.workspace().toString());
    return HttpRequest.newBuilder(internal("/internal/v1/captures/" + UUID.randomUUID()))
        .header("authorization", "Bearer " + stage.settings().internalToken())
        .header("content-type", "application/json")
        .PUT(BodyPublishers.ofString(capture.encode()))
        .build();
  }

  private HttpRequest pull(Neighbour neighbour) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + stage.publicPort() + "/api/v1/captures?limit=100"))
        .header("authorization", "Bearer " + neighbour.key())
        .build();
  }

  private HttpRequest page(Neighbour neighbour) {
    return HttpRequest.newBuilder(internal("/portal/" + neighbour.workspace() + "/"))
        .header("cookie", neighbour.cookie())
        .build();
  }

  private URI internal(String path) {
    return URI.create("http://127.0.0.1:" + stage.internalPort() + path);
  }

  private HttpResponse<String> send(HttpRequest request) {
    try {
      return http.sendAsync(request, BodyHandlers.ofString())
          .orTimeout(ANSWER_MAX.toSeconds(), TimeUnit.SECONDS)
          .join();
    } catch (RuntimeException failure) {
      throw new IllegalStateException(request.uri() + " was not answered", failure);
    }
  }
}
