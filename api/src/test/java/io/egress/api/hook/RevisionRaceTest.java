package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Renames race with updates and with reads that render again; no stale document may remain current.
 */
@Execution(ExecutionMode.CONCURRENT)
class RevisionRaceTest {
  private static final int CAPTURES = 20;
  private static final int RENAMES = 60;

  @Test
  void leavesNoStaleDocument() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try (Service service = Service.start();
        Service twin = service.twin()) {
      UUID workspace = UUID.randomUUID();
      UUID ada = UUID.randomUUID();
      UUID ben = UUID.randomUUID();
      String key = service.mintKey(workspace);
      List<UUID> ids = new ArrayList<>();
      AtomicBoolean done = new AtomicBoolean();

      List<Future<?>> work = new ArrayList<>();
      work.add(threads.submit(() -> putAndFix(service, workspace, ada, ids)));
      work.add(threads.submit(() -> rename(twin, "members", workspace, ada, "Ada ")));
      work.add(threads.submit(() -> rename(service, "members", workspace, ben, "Ben ")));
      work.add(threads.submit(() -> rename(twin, "devices", workspace, workspace, "Room ")));
      work.add(threads.submit(() -> assignSpeakers(twin, ben, ids)));
      Future<?> reading = threads.submit(() -> readUntil(service, twin, key, done));
      for (Future<?> each : work) {
        each.get();
      }
      done.set(true);
      reading.get();

      Awaitility.await().untilAsserted(() -> assertThat(captures(service, key)).hasSize(CAPTURES));
      for (Object document : captures(twin, key)) {
        assertShowsWhatTheDatabaseKnows(service, (JsonObject) document);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void putAndFix(Service service, UUID workspace, UUID ada, List<UUID> ids) {
    for (int i = 0; i < CAPTURES; i++) {
      UUID id = UUID.randomUUID();
      service.put(id, conversation(workspace, ada, "Talk"));
      synchronized (ids) {
        ids.add(id);
      }
      service.put(id, conversation(workspace, ada, "Talk, fixed"));
    }
  }

  private static void rename(Service service, String kind, UUID workspace, UUID id, String prefix) {
    for (int i = 0; i < RENAMES; i++) {
      JsonObject name =
          new JsonObject().put("workspace_id", workspace.toString()).put("name", prefix + i);
      var answer = service.internal("PUT", "/internal/v1/" + kind + "/" + id, name);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    }
  }

  private static void assignSpeakers(Service service, UUID ben, List<UUID> ids) {
    Random random = new Random(1);
    for (int i = 0; i < RENAMES; i++) {
      UUID id = null;
      synchronized (ids) {
        id = ids.isEmpty() ? null : ids.get(random.nextInt(ids.size()));
      }
      if (id != null) {
        JsonObject body = new JsonObject();
        if (random.nextBoolean()) {
          body.put("member", new JsonObject().put("id", ben.toString()));
        } else {
          body.putNull("member");
        }
        var answer =
            service.internal("PATCH", "/internal/v1/captures/" + id + "/participants/S2", body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
      }
    }
  }

  private static void readUntil(Service one, Service other, String key, AtomicBoolean done) {
    while (!done.get()) {
      captures(one, key);
      captures(other, key);
    }
  }

  private static JsonArray captures(Service service, String key) {
    var answer = service.pull("/api/v1/captures?limit=100", key);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body()).getJsonArray("captures");
  }

  private static void assertShowsWhatTheDatabaseKnows(Service service, JsonObject document) {
    String id = document.getString("id");
    var known =
        service
            .query(
                "select c.title, d.name as device, (select string_agg(coalesce(m.name, 'S' || p.nth), ', ' "
                    + "order by p.nth) from unnest(c.members) with ordinality p(id, nth) "
                    + "left join members m on m.workspace_id = c.workspace_id and m.id = p.id"
                    + ") as speakers from captures c join devices d "
                    + "on d.workspace_id = c.workspace_id and d.id = c.device_id where c.id = '"
                    + id
                    + "'")
            .iterator()
            .next();
    List<String> shown = new ArrayList<>();
    for (Object segment : document.getJsonArray("segments")) {
      shown.add(((JsonObject) segment).getString("speaker"));
    }
    assertThat(document.getString("title")).isEqualTo(known.getString("title"));
    assertThat(document.getJsonObject("device").getString("name"))
        .isEqualTo(known.getString("device"));
    assertThat(String.join(", ", shown)).isEqualTo(known.getString("speakers"));
  }

  private static JsonObject conversation(UUID workspace, UUID ada, String title) {
    return Service.capture(workspace)
        .put("title", title)
        .put("device", new JsonObject().put("id", workspace.toString()))
        .put(
            "participants",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("label", "S1")
                        .put("member", new JsonObject().put("id", ada.toString()))
                        .put("speech_ms", 1))
                .add(new JsonObject().put("label", "S2").put("speech_ms", 1)))
        .put(
            "segments",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("start_ms", 0)
                        .put("end_ms", 1)
                        .put("speaker", "S1")
                        .put("text", "Hi."))
                .add(
                    new JsonObject()
                        .put("start_ms", 1)
                        .put("end_ms", 2)
                        .put("speaker", "S2")
                        .put("text", "Ho.")));
  }
}
