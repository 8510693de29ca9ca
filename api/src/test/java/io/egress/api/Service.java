package io.egress.api;

import static java.util.Objects.requireNonNull;

import io.egress.embedded.DatabaseAddress;
import io.egress.platform.database.Migrations;
import io.egress.platform.metrics.MeasuredVertx;
import io.egress.settings.Settings;
import io.egress.testing.SharedBackends;
import io.egress.transcript.document.DocumentRenderer;
import io.egress.transcript.document.TranscriptRenderer;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A running api role on a database and topics of its own, called over HTTP. */
public final class Service implements AutoCloseable {
  private static final List<String> SESSION_LIMITS =
      List.of(
          "statement_timeout",
          "lock_timeout",
          "idle_in_transaction_session_timeout",
          "transaction_timeout");

  public static final String TOKEN = "test-token-of-the-internal-api";

  public static final String SECRET_KEY = SecretBox.newKey();

  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  public final Vertx vertx = MeasuredVertx.create();
  public final ApiApp app;
  public final Map<String, String> environment;
  public final Pool database;

  private Service(Map<String, String> environment, DocumentRenderer renderer) {
    this.environment = Map.copyOf(environment);
    this.app = await(ApiApp.start(vertx, Settings.from(environment, environment), renderer));
    this.database =
        PgBuilder.pool()
            .connectingTo(PgConnectOptions.fromUri(environment.get("EGRESS_DATABASE_URL")))
            .with(new PoolOptions().setMaxSize(4))
            .using(vertx)
            .build();
  }

  public static Service start() {
    return start(Map.of());
  }

  /**
   * Through a pooler, statements are parsed without the types of their parameters, so that one may
   * fail there and nowhere else. Tests that make every call use this.
   */
  public static Service startAsWithPooler() {
    Map<String, String> environment = freshEnvironment();
    environment.put("EGRESS_DATABASE_POOLER", "transaction");
    limitTransactions(
        DatabaseAddress.parse(requireNonNull(environment.get("EGRESS_DATABASE_URL"))));
    return new Service(environment, new TranscriptRenderer());
  }

  /** A pooler keeps no limits of a session. */
  private static void limitTransactions(DatabaseAddress database) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      for (String limit : SESSION_LIMITS) {
        statement.execute("alter database \"%s\" set %s = '30s'".formatted(database.name(), limit));
      }
    } catch (SQLException failure) {
      throw new IllegalStateException("Cannot limit transactions", failure);
    }
  }

  /** The one of all tests that only look at workspaces of their own. It ends with the JVM. */
  public static Service shared() {
    return Shared.SERVICE;
  }

  private static final class Shared {
    static final Service SERVICE = startAsWithPooler();
  }

  public static Service start(Map<String, String> changes) {
    Map<String, String> environment = freshEnvironment();
    environment.putAll(changes);
    return new Service(environment, new TranscriptRenderer());
  }

  /** A second instance of the service on the same backends. */
  public Service twin() {
    return twin(Map.of());
  }

  public Service twin(Map<String, String> changes) {
    Map<String, String> changed = new HashMap<>(environment);
    changed.putAll(changes);
    return new Service(changed, new TranscriptRenderer());
  }

  /** Another process of a later release, on the same backends. */
  public Service twin(DocumentRenderer renderer) {
    return new Service(environment, renderer);
  }

  public static Map<String, String> freshEnvironment() {
    SharedBackends backends = SharedBackends.get();
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_DATABASE_URL", backends.freshDatabase(Migrations::run));
    environment.put("EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap());
    environment.put("EGRESS_TOPIC_PREFIX", backends.freshPrefix());
    environment.put("EGRESS_TOPIC_PARTITIONS", "4");
    environment.put("EGRESS_DELIVERY_LOG_RETENTION", "3d");
    environment.put("EGRESS_INTERNAL_TOKEN", TOKEN);
    environment.put("EGRESS_SECRET_KEY", SECRET_KEY);
    environment.put("EGRESS_PUBLIC_HOST", "127.0.0.1");
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("relay-interval", "50ms");
    environment.put("EGRESS_DATABASE_POOL_SIZE", "8");
    return environment;
  }

  public HttpResponse<String> internal(String method, String path, JsonObject body) {
    return internal(method, path, body == null ? "" : body.encode());
  }

  public HttpResponse<String> internal(String method, String path, String body) {
    return send(
        HttpRequest.newBuilder(URI.create(internalUrl(path)))
            .header("authorization", "Bearer " + TOKEN)
            .method(method, BodyPublishers.ofString(body)));
  }

  public HttpResponse<String> pull(String path, String key) {
    return send(
        HttpRequest.newBuilder(URI.create(publicUrl(path)))
            .header("authorization", "Bearer " + key));
  }

  public static HttpResponse<String> send(HttpRequest.Builder request) {
    return send(request, BodyHandlers.ofString());
  }

  public static <T> HttpResponse<T> send(
      HttpRequest.Builder request, HttpResponse.BodyHandler<T> handler) {
    try {
      return HTTP.send(request.timeout(Duration.ofSeconds(60)).build(), handler);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  public String internalUrl(String path) {
    return "http://127.0.0.1:" + app.internalPort() + path;
  }

  public String publicUrl(String path) {
    return "http://127.0.0.1:" + app.publicPort() + path;
  }

  public String mintKey(UUID workspaceId) {
    HttpResponse<String> minted =
        internal(
            "POST",
            "/internal/v1/workspaces/" + workspaceId + "/api-keys",
            new JsonObject().put("name", "test"));
    return new JsonObject(minted.body()).getString("key");
  }

  /** Puts captures one after the other; in the stream when this returns, in this order. */
  public List<UUID> enter(UUID workspace, int count) {
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      UUID id = UUID.randomUUID();
      ids.add(id);
      put(id, capture(workspace));
      Awaitility.await()
          .until(() ->
              query("select 1 from stream where capture_id = '%s'".formatted(id)).size() == 1);
    }
    return ids;
  }

  public HttpResponse<String> put(UUID id, JsonObject capture) {
    return internal("PUT", "/internal/v1/captures/" + id, capture);
  }

  /** The lines of the metrics that show memory in use, or requests waiting for it. */
  public List<String> memoryInUse(String budget) {
    return metrics()
        .filter(line -> line.startsWith("egress_memory_") && line.contains('"' + budget + '"'))
        .filter(line -> !line.endsWith(" 0.0"))
        .toList();
  }

  public Stream<String> metrics() {
    return send(HttpRequest.newBuilder(URI.create(internalUrl("/metrics")))).body().lines();
  }

  public RowSet<Row> query(String sql) {
    return await(database.query(sql).execute());
  }

  public static <T> T await(Future<T> future) {
    try {
      return future.await(60, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError("nothing within a minute", late);
    }
  }

  @Override
  public void close() {
    await(database.close());
    await(app.close());
    await(vertx.close());
  }

  /** The description of the internal API, as it is served. */
  public static JsonObject internalDescription() {
    try (InputStream in = Service.class.getResourceAsStream(ApiRoutes.INTERNAL_DESCRIPTION)) {
      return new JsonObject(Buffer.buffer(in.readAllBytes()));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** {@link #capture} with a participant, S1, who says {@code text}. */
  public static JsonObject conversation(UUID workspaceId, JsonObject member, String text) {
    JsonObject participant =
        new JsonObject()
            .put("label", "S1")
            .put("member", member)
            .put("match_confidence", 0.5)
            .put("speech_ms", 900);
    JsonObject segment =
        new JsonObject()
            .put("start_ms", 0)
            .put("end_ms", 900)
            .put("speaker", "S1")
            .put("text", text);
    return capture(workspaceId)
        .put("participants", new JsonArray().add(participant))
        .put("segments", new JsonArray().add(segment));
  }

  /** The smallest capture that enters the stream. */
  public static JsonObject capture(UUID workspaceId) {
    return new JsonObject()
        .put("workspace_id", workspaceId.toString())
        .put("mode", "ambient")
        .put("started_at", "2026-01-02T03:04:05Z")
        .put("device", new JsonObject().put("id", "00000000-0000-4000-8000-000000000001"))
        .put("participants", new JsonArray())
        .put(
            "segments",
            new JsonArray()
                .add(new JsonObject().put("start_ms", 0).put("end_ms", 900).put("text", "Hello.")));
  }
}
