package io.egress.bench.torture;

import static java.util.Objects.requireNonNull;

import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.receiver.WebhookVerifier;
import io.egress.standalone.receiver.WebhookVerifier.Verdict;
import io.egress.transcript.stream.Feed;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** The receivers: each verifies its webhooks and behaves according to its kind. */
final class Receivers {
  enum Kind {
    HEALTHY,
    /** Refuses the first attempts of some captures. */
    FLAKY,
    SLOW,
    /** Never answers. */
    HANGING
  }

  private static final int REFUSED_ATTEMPTS_MAX = 3;
  private static final long SLOW_MILLIS = 150;

  private record Endpoint(UUID workspaceId, Kind kind, WebhookVerifier verifier, Copy copy) {}

  private final Vertx vertx;
  private final Evidence evidence;
  private final HttpServer server;
  private final Map<String, Endpoint> endpoints = new ConcurrentHashMap<>();
  private final Map<String, PageReader> pageReaders = new ConcurrentHashMap<>();

  private Receivers(Vertx vertx, Evidence evidence) {
    this.vertx = vertx;
    this.evidence = evidence;
    this.server =
        vertx
            .createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(0))
            .requestHandler(this::receive);
  }

  static Receivers start(Vertx vertx, Evidence evidence) {
    Receivers receivers = new Receivers(vertx, evidence);
    RunningProcess.await(receivers.server.listen());
    return receivers;
  }

  String url(String name) {
    return "http://127.0.0.1:" + server.actualPort() + "/" + name;
  }

  void add(String name, UUID workspaceId, Kind kind, String secret) {
    endpoints.put(
        name,
        new Endpoint(
            workspaceId, kind, new WebhookVerifier(secret, InstantSource.system()), new Copy()));
  }

  /** One of an endpoint that is sent the stream itself. */
  void add(String name, UUID workspaceId, PageReader reader, String secret) {
    pageReaders.put(name, reader);
    add(name, workspaceId, Kind.HEALTHY, secret);
  }

  /** What an endpoint has accepted. */
  Copy copy(String name) {
    return requireNonNull(endpoints.get(name)).copy();
  }

  private void receive(HttpServerRequest request) {
    String name = request.path().substring(1);
    Endpoint endpoint = endpoints.get(name);
    if (endpoint == null) {
      // The response with the new endpoint's secret has not arrived yet.
      request.response().setStatusCode(503).end();
      return;
    }
    request.body().onSuccess(body -> receive(name, endpoint, request, body));
  }

  private void receive(String name, Endpoint endpoint, HttpServerRequest request, Buffer body) {
    Verdict verdict = endpoint.verifier().verify(request.headers(), body);
    if (!(verdict instanceof Verdict.Genuine genuine)) {
      evidence.violation(name + " was sent what does not verify: " + verdict);
      request.response().setStatusCode(400).end();
      return;
    }
    PageReader reader = pageReaders.get(name);
    if (reader != null) {
      boolean ofChanges = request.getHeader("x-service-event").equals("changes.page");
      Feed feed = ofChanges ? Feed.CHANGES : Feed.CAPTURES;
      answer(reader.take(feed, genuine.data()), request);
      return;
    }
    JsonObject document = genuine.data();
    UUID captureId = UUID.fromString(document.getString("id"));
    if (request.getHeader("x-service-event").equals("capture.erased")) {
      evidence.notified(name, captureId);
      endpoint.copy().erase(captureId);
      request.response().end();
      return;
    }
    if (request.getHeader("x-service-event").equals("capture.updated")) {
      endpoint.copy().take(captureId, revision(request), document);
      request.response().end();
      return;
    }
    if (!endpoint.workspaceId().toString().equals(document.getString("workspace_id"))) {
      evidence.violation(name + " was sent capture " + captureId + " of another workspace");
    }
    int before = evidence.arrivals(name, captureId).size();
    switch (endpoint.kind()) {
      case HEALTHY -> answer(name, endpoint, genuine, request, 200);
      case SLOW -> vertx.setTimer(SLOW_MILLIS, _ -> answer(name, endpoint, genuine, request, 204));
      case FLAKY ->
          answer(name, endpoint, genuine, request, before < refusals(captureId) ? 503 : 200);
      case HANGING -> evidence.arrived(name, captureId, genuine.deliveryId(), false);
    }
  }

  private static void answer(PageReader.Answer answer, HttpServerRequest request) {
    if (answer == PageReader.Answer.LOST) {
      request.connection().close();
    } else {
      request.response().setStatusCode(answer.status()).end();
    }
  }

  private void answer(
      String name,
      Endpoint endpoint,
      Verdict.Genuine genuine,
      HttpServerRequest request,
      int status) {
    JsonObject document = genuine.data();
    UUID captureId = UUID.fromString(document.getString("id"));
    boolean accepted = status < 300;
    evidence.arrived(name, captureId, genuine.deliveryId(), accepted);
    if (accepted) {
      endpoint.copy().take(captureId, revision(request), document);
    }
    request.response().setStatusCode(status).end();
  }

  private static long revision(HttpServerRequest request) {
    return Long.parseLong(request.getHeader("x-service-revision"));
  }

  private static int refusals(UUID captureId) {
    return Math.floorMod(captureId.hashCode(), 3) == 0
        ? 1 + Math.floorMod(captureId.hashCode(), REFUSED_ATTEMPTS_MAX)
        : 0;
  }
}
