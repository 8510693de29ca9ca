package io.egress.api.admin.erasures;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.platform.metrics.Metrics;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.document.Fragment;
import io.egress.transcript.document.RevisedDocument;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ErasuresApiTest {
  private static final Service service = Service.shared();

  private UUID workspace;
  private String key;

  @BeforeEach
  void freshWorkspace() {
    workspace = UUID.randomUUID();
    key = service.mintKey(workspace);
  }

  @Test
  void erasesACaptureAtOnceAndForGood() {
    List<UUID> ids = service.enter(workspace, 3);
    UUID erased = ids.get(1);

    HttpResponse<String> answer = erase(erased, "requested by the customer");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(new JsonObject(answer.body()).getString("reason"))
        .isEqualTo("requested by the customer");
    assertThat(service.pull("/api/v1/captures/" + erased, key).statusCode()).isEqualTo(410);
    assertThat(pulled()).containsExactly(ids.get(0), ids.get(2));
    assertThat(service.put(erased, Service.capture(workspace)).statusCode()).isEqualTo(410);
    assertThat(pulled()).containsExactly(ids.get(0), ids.get(2));
  }

  @Test
  void nothingThatWasSaidRemainsInAnyTable() {
    String[] said = {
      "The Blue Heron project", "A summary of blue herons", "Herons are blue", "Bird 1"
    };
    UUID id = UUID.randomUUID();
    JsonObject capture =
        Service.capture(workspace)
            .put("title", said[0])
            .put("summary", said[1])
            .put(
                "participants",
                new JsonArray().add(new JsonObject().put("label", said[3]).put("speech_ms", 1)))
            .put(
                "segments",
                new JsonArray()
                    .add(
                        new JsonObject()
                            .put("start_ms", 0)
                            .put("end_ms", 9)
                            .put("speaker", said[3])
                            .put("text", said[2])));
    service.put(id, capture);
    assertThat(TextSearch.in(service, said)).hasSizeGreaterThanOrEqualTo(said.length + 1);

    erase(id, "privacy");

    assertThat(TextSearch.in(service, said)).isEmpty();
  }

  @Test
  void aDocumentThatIsRenderedMeanwhileIsNotStored() {
    String title = "Rendered meanwhile";
    UUID id = UUID.randomUUID();
    service.put(id, Service.capture(workspace).put("title", title));
    service.enter(workspace, 1);
    Fragment rendered =
        TextSearch.fragment(
            service
                .query(
                    "select capture_id, deflated, crc32, length from documents where capture_id = '%s'"
                        .formatted(id))
                .iterator()
                .next());

    erase(id, "while it is rendered");
    try (Metrics metrics = new Metrics()) {
      DocumentStore documents = new DocumentStore(service.vertx, service.database, metrics);
      Service.await(
          documents.put(service.database, List.of(new RevisedDocument(id, 1_000, rendered))));
    }

    assertThat(TextSearch.in(service, title)).isEmpty();
    assertThat(service.pull("/api/v1/captures/" + id, key).statusCode()).isEqualTo(410);
  }

  @Test
  void repeatsTheAnswerOfTheFirstCall() {
    UUID id = service.enter(workspace, 1).get(0);

    String first = erase(id, "first").body();

    assertThat(erase(id, "second").body()).isEqualTo(first);
    assertThat(actions()).containsOnlyOnce("capture.erased");
  }

  @Test
  void erasesACaptureThatWasJustPutOnceItHasAPosition() {
    for (int i = 0; i < 10; i++) {
      UUID id = UUID.randomUUID();
      service.put(id, Service.capture(workspace));
      assertThat(erase(id, "mistake").statusCode()).isEqualTo(200);
    }

    assertThat(pulled()).isEmpty();
    assertThat(erasures()).hasSize(10);
    assertThat(head()).isEqualTo(10);
  }

  @Test
  void readersNeverLearnOfACaptureThatWasNeverInTheStream() {
    UUID id = UUID.randomUUID();
    service.put(id, Service.capture(workspace).put("segments", new JsonArray()));

    assertThat(erase(id, "silence").statusCode()).isEqualTo(200);

    assertThat(erasures()).isEmpty();
    assertThat(service.put(id, Service.capture(workspace)).statusCode()).isEqualTo(410);
    assertThat(head()).isZero();
  }

  @Test
  void refusesWhatItCannotErase() {
    UUID id = service.enter(workspace, 1).get(0);

    assertThat(erase(UUID.randomUUID(), "unknown").statusCode()).isEqualTo(404);
    assertThat(delete("/internal/v1/captures/x", "{\"reason\":\"no id\"}").statusCode())
        .isEqualTo(400);
    assertThat(delete("/internal/v1/captures/" + id, "{}").body()).contains("reason");
    assertThat(delete("/internal/v1/captures/" + id, "").statusCode()).isEqualTo(400);
    assertThat(erase(id, "x".repeat(501)).statusCode()).isEqualTo(400);
    assertThat(pulled()).containsExactly(id);
  }

  @Test
  @Tag("full")
  void pagesAreNeverEmptyWhileMoreFollowsWhateverIsErased() {
    Random random = new Random(7);
    List<UUID> ids = service.enter(workspace, 40);
    Set<UUID> erased = new HashSet<>();
    List<String> cursors = new ArrayList<>();
    readAll(5, cursors);
    for (int round = 0; round < 6; round++) {
      int from = random.nextInt(ids.size());
      List<UUID> some = ids.subList(from, Math.min(ids.size(), from + 1 + random.nextInt(9)));
      if (round % 2 == 0) {
        some.forEach(id -> assertThat(erase(id, "round").statusCode()).isEqualTo(200));
      } else {
        eraseTogether(some);
      }
      erased.addAll(some);
      List<UUID> rest = ids.stream().filter(id -> !erased.contains(id)).toList();

      for (int limit : new int[] {3, 100}) {
        assertThat(readAll(limit, new ArrayList<>())).isEqualTo(rest);
      }
      assertThat(lines()).isEqualTo(rest);
      for (int i = 0; i < cursors.size(); i++) {
        Set<UUID> after = new HashSet<>(ids.subList(5 * (i + 1), ids.size()));
        assertThat(pageAfter(cursors.get(i), 100).ids())
            .isEqualTo(rest.stream().filter(after::contains).toList());
      }
    }
    assertThat(spans()).isLessThanOrEqualTo(ids.size() - erased.size() + 1);

    ids.forEach(id -> erase(id, "the rest"));
    assertThat(readAll(100, new ArrayList<>())).isEmpty();
    assertThat(spans()).isEqualTo(1);

    UUID fresh = service.enter(workspace, 1).get(0);
    assertThat(readAll(100, new ArrayList<>())).containsExactly(fresh);
  }

  /** As retention does. */
  private static void eraseTogether(List<UUID> ids) {
    String array = ids.stream().map(id -> "'" + id + "'").collect(joining(","));
    assertThat(
            service.query("select erase_captures(array[%s]::uuid[], null, 'r')".formatted(array)))
        .hasSize(ids.size());
  }

  private HttpResponse<String> erase(UUID id, String reason) {
    return delete("/internal/v1/captures/" + id, new JsonObject().put("reason", reason).encode());
  }

  private static HttpResponse<String> delete(String path, String body) {
    return service.internal("DELETE", path, body);
  }

  private record Page(List<UUID> ids, @Nullable String end, boolean more) {}

  private List<UUID> pulled() {
    return pageAfter(null, 100).ids();
  }

  private Page pageAfter(@Nullable String after, int limit) {
    String path = "/api/v1/captures?limit=" + limit + (after == null ? "" : "&after=" + after);
    JsonObject page = new JsonObject(service.pull(path, key).body());
    List<UUID> ids =
        page.getJsonArray("captures").stream()
            .map(each -> UUID.fromString(((JsonObject) each).getString("id")))
            .toList();
    JsonObject info = page.getJsonObject("pageInfo");
    boolean more = info.getBoolean("hasNextPage");
    assertThat(ids.isEmpty() && more).as("an empty page with more to follow").isFalse();
    return new Page(ids, info.getString("endCursor"), more);
  }

  /** Follows the cursor as the specification prescribes. */
  private List<UUID> readAll(int limit, List<String> cursors) {
    List<UUID> all = new ArrayList<>();
    Page page = pageAfter(null, limit);
    all.addAll(page.ids());
    while (page.more()) {
      cursors.add(requireNonNull(page.end()));
      page = pageAfter(page.end(), limit);
      all.addAll(page.ids());
    }
    return all;
  }

  private List<UUID> lines() {
    HttpResponse<String> answer =
        Service.send(
            HttpRequest.newBuilder(URI.create(service.publicUrl("/api/v1/captures")))
                .header("authorization", "Bearer " + key)
                .header("accept", "application/x-ndjson"));
    List<JsonObject> lines = answer.body().lines().map(JsonObject::new).toList();
    assertThat(lines.get(lines.size() - 1).containsKey("pageInfo")).isTrue();
    return IntStream.range(0, lines.size() - 1)
        .mapToObj(i -> UUID.fromString(lines.get(i).getString("id")))
        .toList();
  }

  private List<JsonObject> erasures() {
    HttpResponse<String> answer = service.pull("/api/v1/changes?limit=100", key);
    return new JsonObject(answer.body())
        .getJsonArray("changes").stream().map(JsonObject.class::cast).toList();
  }

  private List<String> actions() {
    return new JsonObject(
            service.internal("GET", "/internal/v1/workspaces/" + workspace + "/audit", "").body())
        .getJsonArray("entries").stream()
            .map(entry -> ((JsonObject) entry).getString("action"))
            .toList();
  }

  private long head() {
    return service
        .query("select stream_head from workspaces where id = '" + workspace + "'")
        .iterator()
        .next()
        .getLong(0);
  }

  private long spans() {
    return service
        .query("select count(*) from erased_spans where workspace_id = '" + workspace + "'")
        .iterator()
        .next()
        .getLong(0);
  }
}
