package io.egress.bench.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.webhook.endpoint.Paging;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;

/** Creates and deletes the endpoints of a measurement. */
final class PushEndpoints {
  /** An endpoint, its workspace, and the path of its URL. */
  record Made(UUID workspace, UUID id, String path) {
    boolean hangs() {
      return path.startsWith(PushReceiver.HANGING);
    }
  }

  /** The endpoints of a workspace, healthy and hanging ones. */
  static final int MIXED_EACH = 10;

  /** More need to be allowed. */
  private static final int USUAL_MAX = 100;

  private static final JsonObject MANY_ENDPOINTS = new JsonObject().put("max_endpoints", 10_000);
  private static final String HEALTHY = "/webhooks";

  private final PushStage stage;
  private final List<Made> made = new ArrayList<>();

  PushEndpoints(PushStage stage) {
    this.stage = stage;
  }

  /** Each in its own workspace. */
  void spread(int count) {
    for (int i = 0; i < count; i++) {
      make(UUID.randomUUID(), HEALTHY);
    }
  }

  /** Each in its own workspace, and sent the stream itself in pages of this many captures. */
  void streams(int count, int batch) {
    JsonObject stream =
        new JsonObject()
            .put("delivery", "stream")
            .put("batch", batch)
            .put("max_body", Paging.MAX_BODY_MAX);
    for (int i = 0; i < count; i++) {
      makeAt(UUID.randomUUID(), stage.receiver().url(HEALTHY), HEALTHY, stream);
    }
  }

  /** All in one workspace. */
  void fan(int count) {
    UUID workspace = UUID.randomUUID();
    for (int i = 0; i < count; i++) {
      make(workspace, HEALTHY);
    }
  }

  /** All in one workspace, and none answers in time. */
  void fanHanging(int count) {
    UUID workspace = UUID.randomUUID();
    for (int i = 0; i < count; i++) {
      make(workspace, PushReceiver.HANGING);
    }
  }

  /** All in one workspace, at this URL without its scheme. */
  void fanTo(int count, String address) {
    UUID workspace = UUID.randomUUID();
    String url = stage.receiver().url("/").replaceFirst("//.*", address);
    for (int i = 0; i < count; i++) {
      makeAt(workspace, url, address);
    }
  }

  /**
   * Creates this many workspaces with ten endpoints each, of which {@code hangingEach} hang.
   * Healthy endpoints have a path each. Adjacent entries of the list are of different workspaces.
   */
  void mixed(int workspaces, int hangingEach) {
    List<UUID> all = Stream.generate(UUID::randomUUID).limit(workspaces).toList();
    for (int i = 0; i < MIXED_EACH; i++) {
      for (UUID workspace : all) {
        make(workspace, i < hangingEach ? PushReceiver.HANGING : HEALTHY + "/" + made.size());
      }
    }
  }

  void hanging() {
    make(UUID.randomUUID(), PushReceiver.HANGING);
  }

  /** Each in its own workspace; all records are in one partition of their topics. */
  void skewed(int count) {
    while (made.size() < count) {
      UUID workspace = UUID.randomUUID();
      if (partition(workspace) == 0) {
        Made candidate = make(workspace, HEALTHY);
        while (partition(candidate.id()) != 0) {
          end(candidate);
          candidate = make(workspace, HEALTHY);
        }
      }
    }
  }

  List<Made> made() {
    return List.copyOf(made);
  }

  List<Made> healthy() {
    return made.stream().filter(endpoint -> !endpoint.hangs()).toList();
  }

  List<UUID> workspaces() {
    return made.stream().map(Made::workspace).distinct().toList();
  }

  /** Deletes them, so that remaining deliveries are skipped. */
  void endAll() {
    made().forEach(this::end);
  }

  private Made make(UUID workspace, String path) {
    return makeAt(workspace, stage.receiver().url(path), path);
  }

  private Made makeAt(UUID workspace, String url, String path) {
    return makeAt(workspace, url, path, new JsonObject());
  }

  private Made makeAt(UUID workspace, String url, String path, JsonObject more) {
    JsonObject created =
        stage
            .api()
            .call(
                "POST",
                "/workspaces/" + workspace + "/endpoints",
                stage.endpoint().put("url", url).mergeIn(more));
    Made endpoint = new Made(workspace, UUID.fromString(created.getString("id")), path);
    made.add(endpoint);
    if (made.stream().filter(each -> each.workspace().equals(workspace)).count() == USUAL_MAX) {
      stage.api().call("PATCH", "/workspaces/" + workspace, MANY_ENDPOINTS.copy());
    }
    return endpoint;
  }

  private void end(Made endpoint) {
    stage
        .api()
        .call(
            "DELETE",
            "/workspaces/" + endpoint.workspace() + "/endpoints/" + endpoint.id(),
            new JsonObject());
    made.remove(endpoint);
  }

  /** The partition, in each topic of deliveries, of records whose key is the endpoint. */
  int partition(UUID key) {
    return BuiltInPartitioner.partitionForKey(
        key.toString().getBytes(UTF_8), stage.settings().kafka().topics().partitions());
  }
}
