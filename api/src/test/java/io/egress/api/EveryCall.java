package io.egress.api;

import static org.awaitility.Awaitility.await;

import io.egress.testing.DescribedCall;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Makes every call that the internal listener's description has, in an order in which all of them
 * succeed; then again with an empty body, in the workspace that has ended, and in another one.
 */
final class EveryCall {
  /** Makes one call and returns its answer. */
  interface Caller {
    HttpResponse<String> call(String method, String path, String body);
  }

  /** What is created comes first, and the workspace, whose end ends everything, last. */
  private enum Turn {
    CREATE,
    PUT,
    USE,
    CHANGE,
    LOOK,
    DELETE,
    END;

    static Turn of(DescribedCall call) {
      return switch (call.method()) {
        case "POST" -> call.path().contains("{id}") ? USE : CREATE;
        case "PUT" -> PUT;
        case "PATCH" -> CHANGE;
        case "DELETE" -> call.path().endsWith("{workspace}") ? END : DELETE;
        default -> LOOK;
      };
    }
  }

  /** Calls on endpoints that are sent the stream itself. */
  private static final Pattern OF_STREAMS = Pattern.compile("/endpoints/\\{id}/(skip|seek|pages)$");

  private final Caller caller;
  private final List<DescribedCall> calls;
  private final String workspace = UUID.randomUUID().toString();

  /** One thing of each collection. */
  private final Map<String, String> ids = new HashMap<>();

  EveryCall(Caller caller) {
    this.caller = caller;
    List<DescribedCall> described =
        DescribedCall.of(
            new JsonObject(caller.call("GET", "/internal/v1/openapi.json", "").body()));
    this.calls = Stream.of(Turn.values()).flatMap(turn -> inTurn(described, turn)).toList();
  }

  /** A part of a thing is described after the thing, and deleted before it. */
  private static Stream<DescribedCall> inTurn(List<DescribedCall> described, Turn turn) {
    List<DescribedCall> calls = described.stream().filter(call -> Turn.of(call) == turn).toList();
    return turn == Turn.DELETE ? calls.reversed().stream() : calls.stream();
  }

  void make() {
    for (DescribedCall call : calls) {
      if (Turn.of(call) == Turn.USE) {
        ids.computeIfAbsent("deliveries", _ -> awaitDelivery());
      }
      if (Turn.of(call) == Turn.END) {
        calls.stream().filter(other -> !other.body().isEmpty()).forEach(this::makeEmpty);
      }
      make(call, workspace);
    }
    calls.forEach(call -> make(call, workspace));
    String nobody = UUID.randomUUID().toString();
    ids.clear();
    calls.forEach(call -> make(call, nobody));
  }

  private void make(DescribedCall call, String inWorkspace) {
    Map<String, String> values = values(call, inWorkspace);
    String path = call.filledPath(values);
    if (!call.query().isEmpty()) {
      caller.call(call.method(), path + call.filledQuery(Map.of()), "");
    }
    String body = call.filledBody(values);
    if (call.contentType().endsWith("ndjson")) {
      body = new JsonObject(body).put("id", UUID.randomUUID().toString()).encode();
    }
    HttpResponse<String> answer = caller.call(call.method(), path, body);
    if (call.method().equals("POST") && answer.body().contains("\"id\":")) {
      ids.put(call.path().replaceFirst(".*/", ""), new JsonObject(answer.body()).getString("id"));
    }
  }

  private void makeEmpty(DescribedCall call) {
    caller.call(call.method(), call.filledPath(values(call, workspace)), "{}");
  }

  private Map<String, String> values(DescribedCall call, String inWorkspace) {
    String id =
        OF_STREAMS.matcher(call.path()).find() && inWorkspace.equals(workspace)
            ? ids.computeIfAbsent("endpoints of streams", _ -> streamEndpoint())
            : ids.computeIfAbsent(call.collection(), _ -> UUID.randomUUID().toString());
    return Map.of(
        "id", id,
        "workspace", inWorkspace,
        "workspace_id", inWorkspace);
  }

  private String streamEndpoint() {
    JsonObject endpoint =
        new JsonObject().put("url", "https://receiver.invalid/").put("delivery", "stream");
    HttpResponse<String> created =
        caller.call(
            "POST", "/internal/v1/workspaces/" + workspace + "/endpoints", endpoint.encode());
    return new JsonObject(created.body()).getString("id");
  }

  private String awaitDelivery() {
    String deliveries = "/internal/v1/workspaces/" + workspace + "/deliveries";
    await().until(() -> caller.call("GET", deliveries, "").body().contains("\"pending\""));
    return new JsonObject(caller.call("GET", deliveries, "").body())
        .getJsonArray("deliveries")
        .getJsonObject(0)
        .getString("id");
  }
}
