package io.egress.dispatcher;

import io.egress.platform.database.Database;
import io.egress.platform.database.Migrations;
import io.egress.platform.json.Json;
import io.egress.platform.kafka.KafkaClients;
import io.egress.platform.kafka.NeededTopic;
import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.kafka.TopicAdmin;
import io.egress.settings.Settings;
import io.egress.testing.SharedBackends;
import io.egress.transcript.document.Fragment;
import io.egress.transcript.document.TranscriptRenderer;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.deliverylog.ReceiverAnswers;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.CustomHeaders.SealedHeaders;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.EndpointStore;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.SealedParts;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.SigningSecrets;
import io.egress.webhook.queue.Topics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * A database and topics of their own, any number of dispatchers on them, and receivers for what
 * they send. Captures enter the stream here as the api would let them in.
 */
public final class Fleet implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;
  public static final String SECRET_KEY = SecretBox.newKey();
  private static final SecretBox SECRETS = SecretBox.parse(SECRET_KEY);

  /** An endpoint and what its receiver verifies with. */
  public record Provisioned(UUID id, UUID workspaceId, String secret, long createdPosition) {}

  public final Receivers receivers = new Receivers();
  public final Vertx vertx = Vertx.vertx();
  public final Settings settings;
  public final Topics topics;
  public final Pool database;
  public final RecordPublisher publisher;
  private final Map<String, String> environment;
  private final Path folder;
  private final List<DispatcherApp> dispatchers = new ArrayList<>();

  public Fleet() {
    this(Map.of());
  }

  public Fleet(Map<String, String> changes) {
    folder = temporaryFolder();
    environment = environment();
    environment.putAll(changes);
    settings = Settings.from(environment, environment);
    topics = new Topics(settings.kafka().topicPrefix());
    await(
        TopicAdmin.ensure(
            vertx, settings.kafka(), List.of(NeededTopic.undelayed(topics.capturesProcessed()))));
    database = Database.pool(vertx, settings.database(), "test", 4);
    publisher =
        new RecordPublisher(
            vertx, KafkaClients.producer(vertx, settings.kafka()), Clock.systemUTC());
  }

  /** A dispatcher in a process of its own, which is up. */
  public DispatcherProcess process() {
    return DispatcherProcess.start(environment, "-Xmx256m");
  }

  /** The same, whose host's clock is wrong: {@code by} is a difference as faketime writes it. */
  public DispatcherProcess processWithWrongClock(Path faketime, String by) {
    Map<String, String> faked = new HashMap<>(environment);
    faked.put("LD_PRELOAD", faketime.toString());
    faked.put("FAKETIME", by);
    faked.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    return DispatcherProcess.start(faked, "-Xmx256m");
  }

  /** The same, with the memory that the launcher gives it. */
  public DispatcherProcess processWithDefaultHeap() {
    return DispatcherProcess.start(environment, "-Xmx512m");
  }

  /** One process' worth of dispatcher. */
  public DispatcherApp dispatcher() {
    return dispatcher(Map.of());
  }

  public DispatcherApp dispatcher(Map<String, String> changes) {
    Map<String, String> changed = new HashMap<>(environment);
    changed.putAll(changes);
    DispatcherApp started = await(DispatcherApp.start(vertx, Settings.from(changed, changed)));
    dispatchers.add(started);
    return started;
  }

  public void stop(DispatcherApp dispatcher) {
    dispatchers.remove(dispatcher);
    await(dispatcher.close());
  }

  public Provisioned endpoint(UUID workspaceId, String receiver) {
    return endpoint(workspaceId, receivers.url(receiver), false);
  }

  public Provisioned endpoint(UUID workspaceId, String url, boolean fullHistory) {
    return endpoint(workspaceId, new NewEndpoint(EndpointSpec.of(url), fullHistory));
  }

  /** With the defaults of what is not given. */
  public static EndpointSpec spec(String url, Map<String, ?> given) {
    Map<String, Object> properties = new HashMap<>(given);
    properties.put("url", url);
    return Json.decode(Json.object(properties).encode(), EndpointSpec.class);
  }

  public Provisioned endpoint(UUID workspaceId, NewEndpoint endpoint) {
    UUID id = UUID.randomUUID();
    String secret = SigningSecrets.generate();
    Buffer sealed = Buffer.buffer(SECRETS.seal(secret, id));
    return await(
        add(database, workspaceId, id, endpoint, sealed)
            .map(made -> new Provisioned(id, workspaceId, secret, made.createdPosition())));
  }

  /** In a workspace that need not exist. */
  public static Future<Endpoint> add(
      Pool database, UUID workspaceId, UUID id, NewEndpoint endpoint, Buffer sealed) {
    return database
        .preparedQuery("insert into workspaces (id) values ($1) on conflict do nothing")
        .execute(Tuple.of(workspaceId))
        .compose(_ ->
            database.withTransaction(tx ->
                EndpointStore.add(
                    tx, workspaceId, id, endpoint, sealed, SealedParts.of(endpoint, SECRETS, id))));
  }

  public void change(Provisioned endpoint, EndpointChange change) {
    await(
        database.withTransaction(tx ->
            EndpointStore.lock(tx, endpoint.workspaceId(), endpoint.id())
                .map(Optional::orElseThrow)
                .compose(before ->
                    EndpointStore.write(
                        tx,
                        before.endpoint(),
                        change,
                        sealed(before.sealed(), change, endpoint)))));
  }

  private static SealedParts sealed(
      SealedParts before, EndpointChange change, Provisioned endpoint) {
    SealedHeaders headers =
        change.headers() == null
            ? before.headers()
            : CustomHeaders.NONE.with(change.headers().values()).seal(SECRETS, endpoint.id());
    SealedParts changed = before.with(headers);
    if (change.certificate() != null) {
      changed = changed.with(change.certificate().certificate(), SECRETS, endpoint.id());
    }
    return change.oauth2() == null
        ? changed
        : changed.with(change.oauth2().client(), SECRETS, endpoint.id());
  }

  public void delete(Provisioned endpoint) {
    await(EndpointStore.delete(database, endpoint.workspaceId(), endpoint.id()));
  }

  /** As the API starts one. */
  public UUID replay(Provisioned endpoint, long first, long last, boolean onlyUndelivered) {
    return backfill(endpoint, "replay", first, last, onlyUndelivered);
  }

  /** As the API starts one. */
  public UUID redelivery(Provisioned endpoint, long position) {
    return backfill(endpoint, "redelivery", position, position, false);
  }

  private UUID backfill(
      Provisioned endpoint, String origin, long first, long last, boolean onlyUndelivered) {
    UUID id = UUID.randomUUID();
    await(
        database
            .preparedQuery(
                "insert into backfills (id, endpoint_id, origin, only_undelivered, first_position,"
                    + " next_position, last_position) values ($1, $2, $3, $4, $5, $5, $6)")
            .execute(Tuple.of(id, endpoint.id(), origin, onlyUndelivered, first, last)));
    return id;
  }

  public void cancel(UUID replay) {
    await(
        database
            .preparedQuery(
                "update backfills set cancelled_at = now(), finished_at = coalesce(finished_at, now())"
                    + " where id = $1")
            .execute(Tuple.of(replay)));
  }

  /** Captures that enter the stream and are published, in this order. */
  public List<UUID> captures(UUID workspaceId, int count) {
    return captures(workspaceId, count, "text");
  }

  public List<UUID> captures(UUID workspaceId, int count, String text) {
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(UUID.randomUUID());
    }
    await(
        enter(workspaceId, ids, text)
            .compose(entered ->
                publisher.publish(
                    entered.stream()
                        .map(capture ->
                            new RecordPublisher.Message(
                                topics.capturesProcessed(),
                                workspaceId.toString(),
                                capture.encode()))
                        .toList())));
    return ids;
  }

  /** The capture says {@code text} now. */
  public void revise(UUID workspaceId, UUID captureId, String text) {
    await(
        database.withTransaction(tx ->
            tx.preparedQuery("update captures set revision = revision + 1 where id = $1")
                .execute(Tuple.of(captureId))
                .compose(_ ->
                    tx.preparedQuery(
                            """
                            update documents d set revision = c.revision, renderer = $2, length = $3, crc32 = $4,
                              checksum = $5, deflated = $6
                            from captures c where c.id = $1 and d.capture_id = c.id
                            """)
                        .execute(document(workspaceId, captureId, text)))
                .compose(_ ->
                    tx.preparedQuery("select enter_changes(array[$1::uuid])")
                        .execute(Tuple.of(captureId)))));
  }

  /** As the API does, with what receivers answered. */
  public void erase(UUID captureId) {
    query("select erase_captures(array['" + captureId + "']::uuid[], 'test', 'request')");
    ReceiverAnswers.forgetAll(database);
  }

  public RowSet<Row> query(String sql) {
    return await(database.query(sql).execute());
  }

  public long count(String sql) {
    return query("select count(*) from " + sql).iterator().next().getLong(0);
  }

  public static <T> T await(Future<T> future) {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (Exception failure) {
      throw new AssertionError("the future failed or did not complete", failure);
    }
  }

  @Override
  public void close() {
    // Before the dispatchers, which wait some seconds for attempts that hang.
    receivers.close();
    await(Future.all(dispatchers.stream().map(DispatcherApp::close).toList()));
    await(publisher.close());
    await(database.close());
    await(vertx.close());
  }

  private Future<List<ProcessedCapture>> enter(UUID workspaceId, List<UUID> ids, String text) {
    UUID device = UUID.randomUUID();
    Instant now = Instant.now();
    return database.withTransaction(tx ->
        tx.preparedQuery("insert into workspaces (id) values ($1) on conflict do nothing")
            .execute(Tuple.of(workspaceId))
            .compose(_ ->
                tx.preparedQuery("insert into devices (workspace_id, id) values ($1, $2)")
                    .execute(Tuple.of(workspaceId, device)))
            .compose(_ ->
                tx.preparedQuery(
                        "insert into captures (id, workspace_id, device_id, mode, started_at, speakers,"
                            + " members, digest, entered) values ($1, $2, $3, 'manual', now(), '{}', '{}', '', true)")
                    .executeBatch(
                        ids.stream().map(id -> Tuple.of(id, workspaceId, device)).toList()))
            .compose(_ ->
                tx.preparedQuery(
                        "insert into documents (capture_id, revision, renderer, length, crc32, checksum, deflated)"
                            + " values ($1, 1, $2, $3, $4, $5, $6)")
                    .executeBatch(ids.stream().map(id -> document(workspaceId, id, text)).toList()))
            .compose(_ ->
                tx.preparedQuery(
                        "update workspaces set stream_head = stream_head + $2 where id = $1"
                            + " returning stream_head")
                    .execute(Tuple.of(workspaceId, ids.size())))
            .compose(rows -> {
              long first = rows.iterator().next().getLong(0) - ids.size() + 1;
              List<Tuple> stream = new ArrayList<>();
              List<ProcessedCapture> entered = new ArrayList<>();
              for (int i = 0; i < ids.size(); i++) {
                stream.add(Tuple.of(workspaceId, first + i, ids.get(i)));
                entered.add(new ProcessedCapture(workspaceId, first + i, ids.get(i), now));
              }
              return tx.preparedQuery(
                      "insert into stream (workspace_id, position, capture_id, chain) values ($1, $2, $3, $2)")
                  .executeBatch(stream)
                  .map(_ -> entered);
            }));
  }

  private static Tuple document(UUID workspaceId, UUID id, String text) {
    String json =
        new JsonObject()
            .put("id", id.toString())
            .put("workspace_id", workspaceId.toString())
            .put("participants", new JsonArray())
            .put("segments", new JsonArray())
            .put("transcript_text", text)
            .putNull("calendar_event")
            .encode();
    String head = json.substring(0, json.length() - 1) + ",\"emitted_at\":\"";
    Fragment fragment = Fragment.deflate(head.getBytes(StandardCharsets.UTF_8));
    return Tuple.of(
        id,
        TranscriptRenderer.VERSION,
        fragment.length(),
        fragment.crc32(),
        fragment.checksum(),
        fragment.deflated());
  }

  private Map<String, String> environment() {
    SharedBackends backends = SharedBackends.get();
    Map<String, String> variables = new HashMap<>();
    variables.put("EGRESS_DATABASE_URL", backends.freshDatabase(Migrations::run));
    variables.put("EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap());
    variables.put("EGRESS_DELIVERY_LOG_RETENTION", "3d");
    variables.put("EGRESS_TOPIC_PREFIX", backends.freshPrefix());
    // Each fleet has half a dozen topics: more partitions cost the broker more than they find.
    variables.put("EGRESS_TOPIC_PARTITIONS", "2");
    // Tests hold transactions open to stop others; on a loaded machine that takes a while.
    variables.put("idle-transaction", "2m");
    variables.put("transaction", "2m");
    variables.put("EGRESS_INTERNAL_PORT", "0");
    variables.put("EGRESS_INTERNAL_TOKEN", "test-token-of-the-internal-api");
    variables.put("EGRESS_SECRET_KEY", SECRET_KEY);
    variables.put("EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.0/8");
    variables.put("EGRESS_EXTRA_TRUST", receivers.writeAuthority(folder).toString());
    return variables;
  }

  private static Path temporaryFolder() {
    try {
      Path made = Files.createTempDirectory("fleet");
      made.toFile().deleteOnExit();
      return made;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
