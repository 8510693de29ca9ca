package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Transaction;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The cursor promise under fire: whoever follows the cursor sees every capture exactly once, in one
 * order.
 */
@Execution(ExecutionMode.CONCURRENT)
class StreamPromiseTest {
  private static final int WRITERS = 12;
  private static final int LOOPS = 5;
  private static final int INSTANCES = 3;

  private static final String REACHED =
      "select coalesce(max(position), 0), pg_sleep(0.02) from stream";
  private static final String KILL_ENTRIES =
      "select pg_terminate_backend(pid) from pg_stat_activity"
          + " where datname = current_database() and query like '%from enter_stream($1, $2, $3)'";

  private final List<Service> instances = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void close() throws InterruptedException {
    threads.shutdownNow();
    assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    instances.forEach(Service::close);
  }

  @Test
  void holdsWithManyWritersEventLoopsAndInstances() throws Exception {
    run(20, false);
  }

  @Test
  @Tag("full")
  void holdsWithManyCaptures() throws Exception {
    run(60, false);
  }

  @Test
  @Tag("full")
  void holdsWhileConnectionsThatEnterTheStreamAreKilled() throws Exception {
    run(60, true);
  }

  @Test
  void isKeptByTheDatabaseItself() {
    Service service = instance();
    UUID workspace = UUID.randomUUID();
    service.put(UUID.randomUUID(), Service.capture(workspace));
    await().until(() -> service.query("select 1 from stream").size() == 1);

    for (String change :
        List.of(
            "update stream set position = 7",
            "update stream set entered_at = now()",
            "delete from stream",
            "truncate stream")) {
      assertThatThrownBy(() -> service.query(change)).hasMessageContaining("insert-only");
    }
  }

  private void run(int capturesPerWriter, boolean killing) throws Exception {
    instances.add(Service.start());
    while (instances.size() < INSTANCES) {
      instances.add(instances.get(0).twin());
    }
    UUID workspace = UUID.randomUUID();
    String key = instances.get(0).mintKey(workspace);
    CountDownLatch written = new CountDownLatch(WRITERS);
    List<Future<List<String>>> loops = new ArrayList<>();
    for (int i = 0; i < LOOPS; i++) {
      int loop = i;
      loops.add(threads.submit(() -> follow(loop, key, written)));
    }
    List<Future<List<String>>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      writers.add(threads.submit(() -> write(writer, workspace, capturesPerWriter, written)));
    }
    if (killing) {
      threads.submit(() -> killEntries(written)).get();
    }
    List<String> put = new ArrayList<>();
    for (Future<List<String>> writer : writers) {
      put.addAll(writer.get());
    }
    List<String> order = loops.get(0).get();
    assertThat(order).doesNotHaveDuplicates().hasSize(put.size());
    assertThat(new HashSet<>(order)).isEqualTo(new HashSet<>(put));
    for (Future<List<String>> loop : loops) {
      assertThat(loop.get()).isEqualTo(order);
    }
  }

  /** Half through the hook, half by slow transactions of its own. */
  private List<String> write(int writer, UUID workspace, int captures, CountDownLatch written)
      throws Exception {
    Random random = new Random(writer);
    List<String> put = new ArrayList<>();
    Service service = instances.get(writer % INSTANCES);
    PgConnection connection =
        Service.await(
            PgConnection.connect(service.vertx, service.environment.get("EGRESS_DATABASE_URL")));
    for (int i = 0; i < captures; i++) {
      UUID id = new UUID(random.nextLong(), random.nextLong());
      if (writer % 2 == 0) {
        put(service, id, Service.capture(workspace));
      } else {
        finishSlowly(connection, service, workspace, id, random.nextInt(30));
      }
      put.add(id.toString());
    }
    Service.await(connection.close());
    written.countDown();
    return put;
  }

  private static void finishSlowly(
      SqlConnection connection, Service service, UUID workspace, UUID id, int millis) {
    JsonObject silent = Service.capture(workspace).put("segments", new JsonArray());
    put(service, id, silent);
    Transaction transaction = Service.await(connection.begin());
    Service.await(
        connection
            .preparedQuery("select from enter_stream(array[$1::uuid], array[$2::uuid], null)")
            .execute(Tuple.of(id, workspace)));
    Service.await(
        connection
            .preparedQuery("select pg_sleep($1::float8 / 1000)")
            .execute(Tuple.of((double) millis)));
    Service.await(transaction.commit());
  }

  /** As the pipeline does it: a 503 is asked again. */
  private static void put(Service service, UUID id, JsonObject capture) {
    int status = 503;
    while (status == 503) {
      status = service.put(id, capture).statusCode();
    }
    assertThat(status).isIn(200, 201);
  }

  private List<String> follow(int loop, String key, CountDownLatch written) {
    Random random = new Random(loop);
    List<String> seen = new ArrayList<>();
    String after = "";
    while (true) {
      boolean allWritten = written.getCount() == 0;
      Service service = instances.get(random.nextInt(INSTANCES));
      int limit = 1 + random.nextInt(100);
      var answer = service.pull("/api/v1/captures?limit=" + limit + after, key);
      if (answer.statusCode() == 503) {
        continue;
      }
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      JsonObject page = new JsonObject(answer.body());
      page.getJsonArray("captures").forEach(one -> seen.add(((JsonObject) one).getString("id")));
      String end = page.getJsonObject("pageInfo").getString("endCursor");
      after = end == null ? after : "&after=" + end;
      if (allWritten && !page.getJsonObject("pageInfo").getBoolean("hasNextPage")) {
        return seen;
      }
    }
  }

  /** Never again before something entered: a slow machine would do nothing but connect. */
  private int killEntries(CountDownLatch written) {
    int killed = 0;
    long reached = 0;
    while (written.getCount() > 0) {
      long position = instances.get(0).query(REACHED).iterator().next().getLong(0);
      if (position > reached) {
        reached = position;
        killed += instances.get(0).query(KILL_ENTRIES).size();
      }
    }
    assertThat(killed).isPositive();
    return killed;
  }

  private Service instance() {
    Service service = Service.start();
    instances.add(service);
    return service;
  }
}
