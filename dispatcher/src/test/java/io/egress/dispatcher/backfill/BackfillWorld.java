package io.egress.dispatcher.backfill;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.dispatcher.Fleet;
import io.egress.platform.database.Database;
import io.egress.platform.database.DatabaseSettings;
import io.egress.platform.database.Migrations;
import io.egress.platform.kafka.KafkaClients;
import io.egress.platform.kafka.KafkaProperties;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.platform.kafka.NeededTopic;
import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.kafka.TopicAdmin;
import io.egress.platform.kafka.TopicSettings;
import io.egress.testing.SharedBackends;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LogEntry;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.EndpointStore;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.queue.Topics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.kafka.client.producer.KafkaProducer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A database and a backfill topic of a test's own, and the workers on them. */
final class BackfillWorld implements AutoCloseable {
  static final int PARTITIONS = 4;
  static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration QUIET = Duration.ofMillis(400);
  private static final Duration PERIOD = Duration.ofMillis(50);
  private static final int CONNECTIONS_MAX = 8;

  private static final LogDays DAYS = new LogDays(Clock.systemUTC(), Duration.ofDays(35));
  private static final int AHEAD_UNBOUNDED = 100_000;

  private static final String ADD_DEVICE = "insert into devices (workspace_id, id) values ($1, $1)";
  private static final String ADD_CAPTURES =
      """
      with added as (
        insert into captures
          (id, workspace_id, device_id, mode, started_at, speakers, members, digest, entered)
        select gen_random_uuid(), $1, $1, 'ambient', now(), '{}', '{}', '', true
        from generate_series(1, $2)
        returning id),
      entered as (
        insert into stream (workspace_id, position, capture_id, chain)
        select $1, stream_head + row_number() over (), added.id, 0
        from added, workspaces where workspaces.id = $1)
      update workspaces set stream_head = stream_head + $2 where id = $1
      """;

  final Vertx vertx = Vertx.vertx();
  final Pool pool;
  final DeliveryLog log;
  final Published published;
  private final KafkaProducer<String, Buffer> producer;
  private final Topics topics;
  private final List<TestWorker> workers = new ArrayList<>();

  BackfillWorld() {
    this(
        SharedBackends.get().freshDatabase(Migrations::run), SharedBackends.get().kafkaBootstrap());
  }

  BackfillWorld(String databaseUrl, String bootstrap) {
    topics = new Topics(SharedBackends.get().freshPrefix());
    KafkaSettings kafka =
        new KafkaSettings(
            bootstrap, topics.prefix(), new TopicSettings(PARTITIONS, false), KafkaProperties.NONE);
    await(Migrations.run(vertx, databaseUrl));
    await(TopicAdmin.ensure(vertx, kafka, List.of(NeededTopic.undelayed(topics.backfill()))));
    DatabaseSettings database =
        new DatabaseSettings(
            databaseUrl,
            null,
            CONNECTIONS_MAX,
            DatabaseSettings.Pooler.NONE,
            null,
            new DatabaseSettings.Timeouts(PATIENCE, PATIENCE, PATIENCE, PATIENCE));
    pool = Database.pool(vertx, database, "test", CONNECTIONS_MAX);
    new LogMaintenance(pool, DAYS).run();
    log = new DeliveryLog(pool, DAYS);
    producer = KafkaClients.producer(vertx, kafka);
    published = new Published(bootstrap, topics.backfill());
  }

  TestWorker worker(BackfillSettings settings) {
    return worker(settings, producer);
  }

  TestWorker worker(BackfillSettings settings, KafkaProducer<String, Buffer> through) {
    TestWorker worker =
        new TestWorker(
            pool, log, new RecordPublisher(vertx, through, Clock.systemUTC()), topics, settings);
    await(vertx.deployVerticle(worker));
    workers.add(worker);
    return worker;
  }

  TestWorker workerOfAll(BackfillSettings settings) {
    TestWorker worker = worker(settings);
    worker.own(0, 1, 2, 3);
    return worker;
  }

  static BackfillSettings settings(int aheadPerEndpointMax, int aheadMax, int batch) {
    return new BackfillSettings(PARTITIONS, aheadPerEndpointMax, aheadMax, batch, PERIOD);
  }

  /** Enough ahead that nothing needs to settle. */
  static BackfillSettings unbounded(int batch) {
    return settings(AHEAD_UNBOUNDED, 16 * AHEAD_UNBOUNDED, batch);
  }

  UUID workspace(int captures) {
    UUID workspace = UUID.randomUUID();
    sql("insert into workspaces (id) values ($1)", workspace);
    sql(ADD_DEVICE, workspace);
    enter(workspace, captures);
    return workspace;
  }

  void enter(UUID workspace, int captures) {
    sql(ADD_CAPTURES, workspace, captures);
  }

  Instant enteredAt(UUID workspace, long position) {
    return await(
            pool.preparedQuery(
                    "select entered_at from stream where workspace_id = $1 and position = $2")
                .execute(Tuple.of(workspace, position)))
        .iterator()
        .next()
        .getOffsetDateTime(0)
        .toInstant();
  }

  UUID endpoint(UUID workspace) {
    return endpoint(workspace, UUID.randomUUID());
  }

  UUID endpointWithoutHistory(UUID workspace) {
    return endpoint(workspace, UUID.randomUUID(), false);
  }

  UUID endpointIn(int partition, UUID workspace) {
    UUID id = UUID.randomUUID();
    while (partition(id) != partition) {
      id = UUID.randomUUID();
    }
    return endpoint(workspace, id);
  }

  private UUID endpoint(UUID workspace, UUID id) {
    return endpoint(workspace, id, true);
  }

  private UUID endpoint(UUID workspace, UUID id, boolean fullHistory) {
    NewEndpoint created =
        new NewEndpoint(EndpointSpec.of("https://client.example/hook"), fullHistory);
    return await(Fleet.add(pool, workspace, id, created, Buffer.buffer("sealed"))).id();
  }

  /** A replay that the API would have started now. */
  UUID replay(UUID endpoint, long first, long last, boolean onlyUndelivered) {
    UUID id = UUID.randomUUID();
    sql(
        """
        insert into backfills
          (id, endpoint_id, origin, only_undelivered, first_position, next_position, last_position)
        values ($1, $2, 'replay', $5, $3, $3, $4)
        """,
        id,
        endpoint,
        first,
        last,
        onlyUndelivered);
    return id;
  }

  void finish(UUID backfill) {
    sql("update backfills set finished_at = now() where id = $1", backfill);
  }

  void cancel(UUID backfill) {
    finish(backfill);
    sql("update backfills set cancelled_at = now() where id = $1", backfill);
  }

  /** {@code replay} is null for the first delivery. */
  LogEntry entry(
      UUID endpoint, UUID capture, long position, @Nullable UUID replay, DeliveryState state) {
    Instant owedAt =
        replay == null
            ? Instant.now().minusSeconds(60)
            : backfill(replay).getOffsetDateTime("created_at").toInstant();
    Delivery delivery =
        replay == null
            ? Delivery.first(
                DeliveryId.of(endpoint, capture), endpoint, capture, position, Origin.LIVE, owedAt)
            : Delivery.replayed(replay, endpoint, capture, position, Origin.REPLAY, owedAt);
    return new LogEntry(delivery, state, null, null);
  }

  /** How many deliveries of a replay the log has in each state. */
  Map<String, Long> logged(UUID replay) {
    Map<String, Long> counts = new HashMap<>();
    await(
            pool.preparedQuery(
                    "select state, count(*) from deliveries where replay_id = $1 group by 1")
                .execute(Tuple.of(replay)))
        .forEach(row -> counts.put(row.getString(0), row.getLong(1)));
    return counts;
  }

  long count(UUID backfill) {
    return backfill(backfill).getLong("published");
  }

  static int partition(UUID endpoint) {
    byte[] key = endpoint.toString().getBytes(UTF_8);
    return BuiltInPartitioner.partitionForKey(key, PARTITIONS);
  }

  void pause(UUID endpoint, boolean paused) {
    sql("update endpoints set paused = $2 where id = $1", endpoint, paused);
  }

  void delete(UUID workspace, UUID endpoint) {
    await(EndpointStore.delete(pool, workspace, endpoint));
  }

  List<UUID> captures(UUID workspace) {
    List<UUID> ids = new ArrayList<>();
    await(
            pool.preparedQuery(
                    "select capture_id from stream where workspace_id = $1 order by position")
                .execute(Tuple.of(workspace)))
        .forEach(row -> ids.add(row.getUUID(0)));
    return ids;
  }

  long nextPosition(UUID endpoint) {
    return backfill(endpoint).getLong("next_position");
  }

  boolean finished(UUID endpoint) {
    return backfill(endpoint).getValue("finished_at") != null;
  }

  private Row backfill(UUID endpoint) {
    return await(
            pool.preparedQuery("select * from backfills where id = $1").execute(Tuple.of(endpoint)))
        .iterator()
        .next();
  }

  /** Batches are published, but that cannot be noted. */
  void refuseProgress(boolean refused) {
    script(
        refused
            ? """
            create function refuse_progress() returns trigger language plpgsql as $$
            begin
              raise exception 'no progress';
            end
            $$;
            create trigger refuse_progress before update on backfills
              for each row execute function refuse_progress();
            """
            : "drop trigger refuse_progress on backfills; drop function refuse_progress()");
  }

  void script(String sql) {
    await(pool.query(sql).execute());
  }

  private void sql(String sql, Object... values) {
    await(pool.preparedQuery(sql).execute(Tuple.from(values)));
  }

  /** As if a receiver accepted everything. */
  void settleUntilFinished(TestWorker worker, UUID endpoint) {
    until(() -> {
      worker.settle(published.to(endpoint));
      return finished(endpoint);
    });
  }

  static void until(Callable<Boolean> condition) {
    Awaitility.await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .until(condition);
  }

  /** Holds, and keeps holding for a while. */
  static void still(Callable<Boolean> condition) {
    Awaitility.await().during(QUIET).until(condition);
  }

  static <T> T await(Future<T> future) {
    try {
      return future.await(60, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError("nothing within a minute", late);
    }
  }

  @Override
  public void close() {
    workers.forEach(TestWorker::close);
    published.close();
    await(producer.close());
    await(pool.close());
    await(vertx.close());
  }
}
