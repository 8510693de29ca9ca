package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Renames of a device or member that more captures show than one transaction should touch. */
@Execution(ExecutionMode.CONCURRENT)
class PendingRenameTest {
  private static final int CAPTURES = 1_203;

  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private final UUID device = UUID.randomUUID();
  private final UUID member = UUID.randomUUID();
  private List<UUID> ids;
  private PulledStream stream;

  @BeforeAll
  static void start() {
    service = Service.start();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeEach
  void fill() {
    ids = IntStream.range(0, CAPTURES).mapToObj(_ -> UUID.randomUUID()).toList();
    String lines =
        ids.stream()
            .map(id -> capture().put("id", id.toString()).encode())
            .collect(Collectors.joining("\n"));
    assertThat(
            Service.send(
                    HttpRequest.newBuilder(URI.create(service.internalUrl("/internal/v1/captures")))
                        .header("authorization", "Bearer " + Service.TOKEN)
                        .header("content-type", "application/x-ndjson")
                        .POST(HttpRequest.BodyPublishers.ofString(lines)))
                .statusCode())
        .isEqualTo(200);
    await().until(() -> inStream(workspace) == CAPTURES);
    stream = new PulledStream(service, workspace);
  }

  @Test
  void showImmediatelyWhileCapturesAreRevisedInChunks() {
    // Whoever writes the last capture holds up the revision of its chunk, and of nothing else.
    SqlConnection holder = Service.await(service.database.getConnection());
    Service.await(holder.begin());
    UUID last =
        service
            .query(
                "select max(id::text)::uuid from captures where workspace_id = '%s'"
                    .formatted(workspace))
            .iterator()
            .next()
            .getUUID(0);
    Service.await(
        holder
            .preparedQuery("select from captures where id = $1 for no key update")
            .execute(Tuple.of(last)));

    rename("devices", device, "Atlas");
    rename("members", member, "Ada Fischer");

    JsonObject shown = stream.one(last);
    assertThat(shown.getJsonObject("device").getString("name")).isEqualTo("Atlas");
    assertThat(shown.getJsonArray("participants").getJsonObject(0).getString("name"))
        .isEqualTo("Ada Fischer");
    JsonArray page =
        new JsonObject(service.pull("/api/v1/captures?limit=100", stream.key()).body())
            .getJsonArray("captures");
    for (int i = 0; i < page.size(); i++) {
      assertThat(page.getJsonObject(i).getJsonObject("device").getString("name"))
          .isEqualTo("Atlas");
    }
    UUID other = UUID.randomUUID();
    assertThat(service.put(UUID.randomUUID(), Service.capture(other)).statusCode()).isEqualTo(201);
    await().until(() -> inStream(other) == 1);
    assertThat(pending()).isPositive();

    Service.await(holder.query("rollback").execute());
    Service.await(holder.close());

    await().until(() -> pending() == 0);
    assertThat(
            service
                .query(
                    "select distinct revision from captures where workspace_id = '%s'"
                        .formatted(workspace))
                .iterator()
                .next()
                .getLong(0))
        .isEqualTo(3);
    for (UUID id : List.of(ids.get(0), ids.get(CAPTURES - 1), last)) {
      assertThat(stream.one(id).getString("transcript_text")).startsWith("Ada Fischer: ");
    }
  }

  @Test
  void areFinishedByAnotherProcess() {
    service.query(
        "update members set name = 'Ada Fischer' where workspace_id = '%s'; ".formatted(workspace)
            + "insert into renames (workspace_id, kind, named_id) values ('%s', 'member', '%s')"
                .formatted(workspace, member));

    try (Service twin = service.twin()) {
      await().until(() -> pending() == 0);
      assertThat(new PulledStream(twin, stream.key()).one(ids.get(7)).getString("transcript_text"))
          .startsWith("Ada Fischer: ");
    }
  }

  private void rename(String what, UUID id, String name) {
    JsonObject named = new JsonObject().put("workspace_id", workspace.toString()).put("name", name);
    assertThat(service.internal("PUT", "/internal/v1/" + what + "/" + id, named).statusCode())
        .isEqualTo(204);
  }

  private JsonObject capture() {
    return Service.capture(workspace)
        .put("device", new JsonObject().put("id", device.toString()).put("name", "Room 1"))
        .put(
            "participants",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("label", "S1")
                        .put("speech_ms", 900)
                        .put(
                            "member",
                            new JsonObject()
                                .put("id", member.toString())
                                .put("name", "Ada")
                                .put("email", "ada@example.com"))))
        .put(
            "segments",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("start_ms", 0)
                        .put("end_ms", 900)
                        .put("speaker", "S1")
                        .put("text", "Hello.")));
  }

  private static long inStream(UUID workspace) {
    return service
        .query("select count(*) from stream where workspace_id = '%s'".formatted(workspace))
        .iterator()
        .next()
        .getLong(0);
  }

  private static long pending() {
    return service.query("select count(*) from renames").iterator().next().getLong(0);
  }
}
