package io.egress.acceptance.portal;

import static io.egress.acceptance.BothRoles.done;
import static org.awaitility.Awaitility.await;

import io.egress.acceptance.BothRoles;
import io.egress.acceptance.TestEnvironment;
import io.egress.cli.InternalApi;
import io.egress.standalone.demo.SampleConversations;
import io.egress.standalone.receiver.LocalCertificate;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Both roles, and a receiver over HTTPS whose endpoints answer as they are told. */
final class PortalWorld implements AutoCloseable {
  /** What an endpoint answers with. */
  record Answer(int status, String body) {}

  /** A webhook as it came. */
  record Received(String endpoint, MultiMap headers, Buffer body) {}

  private final Vertx vertx = Vertx.vertx();
  private final LocalCertificate certificate = LocalCertificate.make();
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final HttpServer receiver;
  private final BothRoles roles;

  PortalWorld(Map<String, String> changes) {
    this.receiver =
        done(
            vertx
                .createHttpServer(
                    new HttpServerOptions()
                        .setSsl(true)
                        .setKeyCertOptions(certificate.keyCertOptions()))
                .requestHandler(this::receive)
                .listen(0, "127.0.0.1"));
    Map<String, String> environment = environment();
    environment.putAll(changes);
    this.roles = new BothRoles(environment);
  }

  private Map<String, String> environment() {
    Map<String, String> environment = TestEnvironment.fresh(BothRoles.TOKEN);
    environment.put("EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.0/8");
    environment.put("EGRESS_EXTRA_TRUST", certificate.pem().toString());
    environment.put("EGRESS_RETRY_SCHEDULE", "1s");
    environment.put("relay-interval", "50ms");
    return environment;
  }

  private void receive(HttpServerRequest request) {
    String endpoint = request.path().substring(1);
    Answer answer = answers.getOrDefault(endpoint, new Answer(200, "{\"received\":true}"));
    request
        .body()
        .onSuccess(body -> {
          received.add(new Received(endpoint, request.headers(), body));
          request.response().setStatusCode(answer.status()).end(answer.body());
        });
  }

  void answer(String endpoint, int status, String body) {
    answers.put(endpoint, new Answer(status, body));
  }

  List<Received> received(String endpoint) {
    return received.stream().filter(each -> each.endpoint().equals(endpoint)).toList();
  }

  String receiverUrl(String endpoint) {
    return "https://127.0.0.1:" + receiver.actualPort() + "/" + endpoint;
  }

  /** A link for an admin, unless {@code role} says otherwise. */
  String link(UUID workspace, String role, @Nullable String actor) {
    return roles
        .call(
            "POST",
            "/workspaces/" + workspace + "/portal-links",
            new JsonObject().put("role", role).put("actor", actor))
        .getString("url");
  }

  /** A link to the pages of all workspaces. */
  String operatorLink(String actor) {
    return roles
        .call("POST", "/portal-links", new JsonObject().put("role", "operator").put("actor", actor))
        .getString("url");
  }

  String url(String path) {
    return roles.internalUrl(path).toString();
  }

  int internalPort() {
    return roles.internalPort();
  }

  InternalApi internal() {
    return roles.internal();
  }

  UUID endpoint(UUID workspace, String name, String description) {
    return UUID.fromString(
        roles
            .call(
                "POST",
                "/workspaces/" + workspace + "/endpoints",
                new JsonObject().put("url", receiverUrl(name)).put("description", description))
            .getString("id"));
  }

  UUID capture(UUID workspace, String title) {
    UUID id = UUID.randomUUID();
    roles.call(
        "PUT",
        "/captures/" + id,
        new SampleConversations(id.getLeastSignificantBits(), workspace)
            .next(3)
            .put("title", title));
    return id;
  }

  void name(UUID workspace, String name) {
    roles.call("PATCH", "/workspaces/" + workspace, new JsonObject().put("name", name));
  }

  /** A capture whose deliveries have pages. */
  UUID captureInStream(UUID workspace, String title) {
    UUID id = capture(workspace, title);
    await().until(() -> count(workspace, "capture_id=" + id) > 0);
    return id;
  }

  /** The number of deliveries that the filter finds. */
  int count(UUID workspace, String filter) {
    return get("/workspaces/" + workspace + "/deliveries?" + filter)
        .getJsonArray("deliveries")
        .size();
  }

  JsonObject get(String path) {
    return roles.call("GET", path, new JsonObject());
  }

  int pullStatus(String key) {
    return roles.pull("/api/v1/captures", key).statusCode();
  }

  @Override
  public void close() throws IOException {
    roles.close();
    done(vertx.close());
    certificate.close();
  }
}
