package io.egress.api.admin.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * History and live traffic of an endpoint meet without a gap or an overlap: whoever can see a
 * capture above its position can see the endpoint, and whoever can see the endpoint can see all up
 * to its position.
 */
class CreationBoundaryTest {
  private static final int WRITERS = 6;
  private static final int CAPTURES_PER_WRITER = 120;
  private static final int CREATORS = 3;

  private final Service service = Service.start();
  private final Service twin = service.twin();
  private final UUID workspace = UUID.randomUUID();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch writing = new CountDownLatch(WRITERS);

  private record Created(long position, long headBefore, long headAfter, boolean fullHistory) {}

  private record Seen(long rows, long highest, Set<UUID> endpoints) {}

  @AfterEach
  void close() throws InterruptedException {
    threads.shutdownNow();
    assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    twin.close();
    service.close();
  }

  @Test
  void separatesHistoryAndLiveTrafficUnderLoad() throws Exception {
    service.internal(
        "PATCH",
        "/internal/v1/workspaces/" + workspace,
        new JsonObject().put("max_endpoints", 100_000));
    List<Future<?>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      Service at = i % 2 == 0 ? service : twin;
      writers.add(threads.submit(() -> write(at)));
    }
    Future<List<Seen>> observer = threads.submit(this::observe);
    List<Future<Map<UUID, Created>>> creators = new ArrayList<>();
    for (int i = 0; i < CREATORS; i++) {
      Service at = i % 2 == 0 ? twin : service;
      creators.add(threads.submit(() -> create(at)));
    }
    for (Future<?> writer : writers) {
      writer.get();
    }
    Map<UUID, Created> created = new HashMap<>();
    for (Future<Map<UUID, Created>> creator : creators) {
      created.putAll(creator.get());
    }
    List<Seen> seen = observer.get();

    assertThat(created.values().stream().map(Created::position).distinct().count())
        .as("endpoints were created all along")
        .isGreaterThan(10);
    created.forEach((id, endpoint) -> {
      assertThat(endpoint.position()).isBetween(endpoint.headBefore(), endpoint.headAfter());
      checkBoundary(id, endpoint.position(), seen);
    });
    checkBackfills(created);
  }

  private static void checkBoundary(UUID id, long position, List<Seen> seen) {
    for (Seen moment : seen) {
      assertThat(moment.rows()).isEqualTo(moment.highest());
      if (moment.endpoints().contains(id)) {
        assertThat(moment.highest()).as("all history is there").isGreaterThanOrEqualTo(position);
      } else {
        assertThat(moment.highest()).as("nothing is live before it").isLessThanOrEqualTo(position);
      }
    }
  }

  private void checkBackfills(Map<UUID, Created> created) {
    Map<UUID, Row> backfills = new HashMap<>();
    service
        .query("select * from backfills")
        .forEach(row -> backfills.put(row.getUUID("endpoint_id"), row));
    created.forEach((id, endpoint) -> {
      Row backfill = backfills.remove(id);
      assertThat(backfill != null).isEqualTo(endpoint.fullHistory());
      if (backfill != null) {
        assertThat(backfill.getLong("next_position")).isEqualTo(1);
        assertThat(backfill.getLong("last_position")).isEqualTo(endpoint.position());
        assertThat(backfill.getValue("finished_at") != null)
            .as("of nothing it is finished at once")
            .isEqualTo(endpoint.position() == 0);
      }
    });
    assertThat(backfills).isEmpty();
  }

  private void write(Service at) {
    for (int i = 0; i < CAPTURES_PER_WRITER; i++) {
      assertThat(at.put(UUID.randomUUID(), Service.capture(workspace)).statusCode()).isEqualTo(201);
    }
    writing.countDown();
  }

  private Map<UUID, Created> create(Service at) {
    Map<UUID, Created> created = new HashMap<>();
    while (writing.getCount() > 0) {
      boolean fullHistory = created.size() % 2 == 0;
      long before = head();
      HttpResponse<String> answer =
          at.internal(
              "POST",
              "/internal/v1/workspaces/" + workspace + "/endpoints",
              new JsonObject()
                  .put("url", "https://example.com/hook")
                  .put("full_history", fullHistory));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
      JsonObject body = new JsonObject(answer.body());
      created.put(
          UUID.fromString(body.getString("id")),
          new Created(body.getLong("created_position"), before, head(), fullHistory));
    }
    return created;
  }

  private long head() {
    return service.query("select count(*) from stream").iterator().next().getLong(0);
  }

  /** Each row is one moment: a statement sees one snapshot. */
  private List<Seen> observe() {
    List<Seen> seen = new ArrayList<>();
    while (writing.getCount() > 0) {
      seen.add(look());
    }
    int all = WRITERS * CAPTURES_PER_WRITER;
    await().until(() -> head() == all);
    seen.add(look());
    return seen;
  }

  private Seen look() {
    Row row =
        service
            .query(
                "select (select count(*) from stream), (select coalesce(max(position), 0) from stream),"
                    + " array(select id from endpoints)")
            .iterator()
            .next();
    return new Seen(row.getLong(0), row.getLong(1), Set.of(row.getArrayOfUUIDs(2)));
  }
}
