package io.egress.api.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Copies that follow the stream and its changes. */
class ChangesTest {
  private static final Service service = Service.shared();
  private static final String CHANGES = "/api/v1/changes";
  private static final String DEVICE = "00000000-0000-4000-8000-000000000001";

  private UUID workspace;
  private String key;

  @BeforeEach
  void freshWorkspace() {
    workspace = UUID.randomUUID();
    key = service.mintKey(workspace);
  }

  @Test
  void listsWhatShowsSomethingElseThanWhenItEnteredTheStream() {
    List<UUID> ids = service.enter(workspace, 3);
    assertThat(changes(page(""))).isEmpty();

    service.put(ids.get(1), Service.capture(workspace).put("title", "Corrected"));

    JsonObject page = page("");
    JsonObject change = changes(page).get(0);
    assertThat(changes(page)).hasSize(1);
    assertThat(change.fieldNames())
        .containsExactly("id", "change", "revision", "changed_at", "reason", "capture");
    assertThat(change.getString("id")).isEqualTo(ids.get(1).toString());
    assertThat(change.getString("change")).isEqualTo("updated");
    assertThat(change.getLong("revision")).isEqualTo(2);
    assertThat(change.getString("reason")).isNull();
    assertThat(change.getJsonObject("capture").getString("title")).isEqualTo("Corrected");
    assertThat(withoutEmission(change.getJsonObject("capture"))).isEqualTo(shown(ids.get(1)));
    assertThat(page.getJsonObject("pageInfo").getBoolean("hasNextPage")).isFalse();
    String end = page.getJsonObject("pageInfo").getString("endCursor");
    assertThat(changes(page("?after=" + end))).isEmpty();
  }

  @Test
  void aCaptureThatChangesOftenIsReadOnceAndErasedForGood() {
    List<UUID> ids = service.enter(workspace, 2);
    for (int i = 0; i < 4; i++) {
      service.put(ids.get(0), Service.capture(workspace).put("title", "Title " + i));
      service.put(ids.get(1), Service.capture(workspace).put("title", "Other " + i));
    }

    assertThat(changes(page("")))
        .extracting(each -> each.getJsonObject("capture").getString("title"))
        .containsExactly("Title 3", "Other 3");

    erase(ids.get(0), "asked for by Zoë, “now” \\ 今");

    List<JsonObject> read = changes(page(""));
    assertThat(read)
        .extracting(each -> each.getString("change"))
        .containsExactly("updated", "erased");
    assertThat(read.get(1).getString("reason")).isEqualTo("asked for by Zoë, “now” \\ 今");
    assertThat(read.get(1).getValue("revision")).isNull();
    assertThat(read.get(1).getValue("capture")).isNull();
    service.put(ids.get(0), Service.capture(workspace).put("title", "Back again"));
    assertThat(changes(page("")))
        .extracting(each -> each.getString("change"))
        .containsExactly("updated", "erased");
  }

  /** Its device may be renamed: an erased capture shows no name. */
  @Test
  void anErasureIsTheLastChange() {
    List<UUID> ids = service.enter(workspace, 2);
    erase(ids.get(0), "a request");
    String end = end(page(""));

    service.internal("PUT", "/internal/v1/devices/" + DEVICE, named("Atlas"));
    awaitRevised();

    assertThat(changes(page("?after=" + end)))
        .extracting(each -> each.getString("id"))
        .containsExactly(ids.get(1).toString());
  }

  @Test
  void whatIsPutAgainAsItIsOrWasNeverInTheStreamIsNoChange() {
    UUID id = service.enter(workspace, 1).get(0);
    service.put(id, Service.capture(workspace));
    UUID silent = UUID.randomUUID();
    JsonObject nothingSaid = Service.capture(workspace).put("segments", new JsonArray());
    service.put(silent, nothingSaid);
    service.put(silent, nothingSaid.put("title", "Silence"));
    service.put(silent, Service.capture(workspace));
    awaitEntered(silent);
    UUID neverSpoken = UUID.randomUUID();
    service.put(neverSpoken, nothingSaid);
    erase(neverSpoken, "silence");

    assertThat(changes(page(""))).isEmpty();
  }

  @Test
  void cursorsAreOfThisListAndThisHistory() throws Exception {
    List<UUID> ids = service.enter(workspace, 2);
    String ofStream =
        new JsonObject(service.pull("/api/v1/captures", key).body())
            .getJsonObject("pageInfo")
            .getString("endCursor");
    service.put(ids.get(0), Service.capture(workspace).put("title", "First"));
    String kept = end(page(""));
    service.put(ids.get(1), Service.capture(workspace).put("title", "Second"));
    String lost = end(page(""));

    PullAnswers.assertError(
        service.pull(CHANGES + "?after=" + ofStream, key), 400, "another history");
    PullAnswers.assertError(
        service.pull("/api/v1/captures?after=" + kept, key), 400, "another history");
    String other = service.mintKey(UUID.randomUUID());
    PullAnswers.assertError(
        service.pull(CHANGES + "?after=" + kept, other), 400, "another history");

    restoreToFirstChange();
    PullAnswers.assertError(service.pull(CHANGES + "?after=" + lost, key), 400, "restored");
    service.put(ids.get(1), Service.capture(workspace).put("title", "Otherwise"));
    PullAnswers.assertError(service.pull(CHANGES + "?after=" + lost, key), 400, "restored");

    assertThat(changes(page("?after=" + kept)))
        .extracting(each -> each.getJsonObject("capture").getString("title"))
        .containsExactly("Otherwise");
  }

  @Test
  void acceptsWhatTheStreamAccepts() {
    List<UUID> ids = service.enter(workspace, 3);
    ids.forEach(id -> service.put(id, Service.capture(workspace).put("title", "New")));

    for (String bad : List.of("?limit=0", "?limit=x", "?after=x", "?wait=31")) {
      assertThat(service.pull(CHANGES + bad, key).statusCode()).as(bad).isEqualTo(400);
    }
    assertThat(service.pull(CHANGES, "service_" + "x".repeat(32)).statusCode()).isEqualTo(401);
    HttpResponse<String> first = service.pull(CHANGES + "?limit=2", key);
    assertThat(first.headers().firstValue("link").orElseThrow())
        .isEqualTo(
            "<"
                + CHANGES
                + "?limit=2&after="
                + end(new JsonObject(first.body()))
                + ">; rel=\"next\"");
    HttpResponse<String> head =
        Service.send(
            HttpRequest.newBuilder(URI.create(service.publicUrl(CHANGES)))
                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                .header("authorization", "Bearer " + key));
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }

  @Test
  void aReaderThatWaitsGetsAChangeAtOnce() throws Exception {
    List<UUID> ids = service.enter(workspace, 2);
    service.put(ids.get(0), Service.capture(workspace).put("title", "First"));
    String after = end(page(""));

    try (var readers = Executors.newVirtualThreadPerTaskExecutor()) {
      CompletableFuture<JsonObject> held =
          CompletableFuture.supplyAsync(() -> page("?wait=30&after=" + after), readers);
      await().until(() -> service.metrics().anyMatch("egress_pull_held 1.0"::equals));
      service.enter(workspace, 1);
      assertThat(held).as("a capture that enters the stream is no change").isNotDone();

      long start = System.nanoTime();
      service.put(ids.get(1), Service.capture(workspace).put("title", "Second"));

      assertThat(changes(held.get()))
          .extracting(each -> each.getString("id"))
          .containsExactly(ids.get(1).toString());
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }
  }

  @Test
  void aRevisionIsAskedForOnce() {
    UUID id = service.enter(workspace, 1).get(0);
    HttpResponse<String> first = service.pull("/api/v1/captures/" + id, key);

    assertThat(first.headers().firstValue("x-service-position")).hasValue("1");
    assertThat(first.headers().firstValue("x-service-revision")).hasValue("1");
    String tag = first.headers().firstValue("etag").orElseThrow();
    HttpResponse<String> unchanged = ifNoneMatch(id, "\"0\", " + tag);
    assertThat(unchanged.statusCode()).isEqualTo(304);
    assertThat(unchanged.body()).isEmpty();
    assertThat(unchanged.headers().firstValue("etag")).hasValue(tag);
    assertThat(unchanged.headers().firstValue("x-service-revision")).hasValue("1");

    service.put(id, Service.capture(workspace).put("title", "Corrected"));

    HttpResponse<String> changed = ifNoneMatch(id, tag);
    assertThat(changed.statusCode()).isEqualTo(200);
    assertThat(changed.headers().firstValue("x-service-revision")).hasValue("2");
    assertThat(changed.body()).contains("Corrected");
    assertThat(ifNoneMatch(id, "*").statusCode()).isEqualTo(304);

    service.internal("PUT", "/internal/v1/devices/" + DEVICE, named("Atlas"));
    assertThat(ifNoneMatch(id, changed.headers().firstValue("etag").orElseThrow()).body())
        .as("a name counts before the captures that show it are revised")
        .contains("Atlas");
  }

  /** Names, corrections, later puts and erasures in any order, and readers who come and go. */
  @Test
  @Tag("full")
  void everyCopyEqualsTheCurrentStateWheneverItWasLastRead() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<UUID> members = IntStream.range(0, 3).mapToObj(_ -> UUID.randomUUID()).toList();
    List<UUID> ids = new ArrayList<>();
    List<Copy> copies = new ArrayList<>();
    for (int step = 0; step < 120; step++) {
      act(random, ids, members, step);
      if (step % 10 == 0) {
        copies.add(new Copy());
      }
      Copy copy = copies.get(random.nextInt(copies.size()));
      copy.read(1 + random.nextInt(7), random.nextInt(4) == 0);
    }
    awaitRevised();

    Map<UUID, JsonObject> current = new HashMap<>();
    for (UUID id : ids) {
      HttpResponse<String> answer = service.pull("/api/v1/captures/" + id, key);
      if (answer.statusCode() == 200) {
        current.put(id, withoutEmission(new JsonObject(answer.body())));
      }
    }
    for (Copy copy : copies) {
      copy.read(1 + random.nextInt(20), random.nextBoolean());
      assertThat(copy.documents).as("seed " + seed).isEqualTo(current);
    }
    assertThat(service.query("select from changes where workspace_id = '" + workspace + "'").size())
        .isLessThanOrEqualTo(ids.size());
  }

  private void act(Random random, List<UUID> ids, List<UUID> members, int step) {
    UUID member = members.get(random.nextInt(members.size()));
    UUID id = ids.isEmpty() ? UUID.randomUUID() : ids.get(random.nextInt(ids.size()));
    switch (ids.size() < 5 ? 0 : random.nextInt(10)) {
      case 0, 1, 2 -> {
        UUID fresh = UUID.randomUUID();
        ids.add(fresh);
        service.put(fresh, conversation(member, "Name " + step));
        awaitEntered(fresh);
      }
      case 3, 4, 5 -> service.put(id, conversation(member, null).put("title", "Title " + step));
      case 6 -> service.internal("PUT", "/internal/v1/members/" + member, named("Member " + step));
      case 7 -> service.internal("PUT", "/internal/v1/devices/" + DEVICE, named("Room " + step));
      case 8 ->
          service.internal(
              "PATCH",
              "/internal/v1/captures/" + id + "/participants/S2",
              new JsonObject()
                  .put("member", new JsonObject().put("id", member.toString()))
                  .put("match_confidence", 0.5));
      default -> {
        if (random.nextInt(3) == 0) {
          service.internal(
              "DELETE", "/internal/v1/workspaces/" + workspace + "/members/" + member, "");
        } else {
          erase(id, "step " + step);
        }
      }
    }
  }

  /** What a reader has that follows both lists. */
  private final class Copy {
    private final Map<UUID, JsonObject> documents = new HashMap<>();
    private final Set<UUID> erased = new HashSet<>();
    private @Nullable String ofStream;
    private @Nullable String ofChanges;

    void read(int limit, boolean lines) {
      ofStream = read("/api/v1/captures", "captures", ofStream, limit, lines);
      ofChanges = read(CHANGES, "changes", ofChanges, limit, lines);
    }

    private @Nullable String read(
        String path, String list, @Nullable String cursor, int limit, boolean lines) {
      String after = cursor;
      boolean more = true;
      while (more) {
        JsonObject page = lines ? ofLines(path, list, after) : onePage(path + query(after, limit));
        List<JsonObject> entries =
            page.getJsonArray(list).stream().map(JsonObject.class::cast).toList();
        entries.forEach(this::take);
        JsonObject info = page.getJsonObject("pageInfo");
        more = info.getBoolean("hasNextPage");
        assertThat(entries.isEmpty() && more).as("an empty page with more to follow").isFalse();
        after = info.getString("endCursor") == null ? after : info.getString("endCursor");
      }
      return after;
    }

    private void take(JsonObject entry) {
      UUID id = UUID.fromString(entry.getString("id"));
      if (!entry.containsKey("change")) {
        documents.put(id, withoutEmission(entry));
      } else if (entry.getString("change").equals("erased")) {
        documents.remove(id);
        erased.add(id);
      } else {
        assertThat(erased).as("updated after it was erased").doesNotContain(id);
        documents.put(id, withoutEmission(entry.getJsonObject("capture")));
      }
    }

    private static String query(@Nullable String after, int limit) {
      return "?limit=" + limit + (after == null ? "" : "&after=" + after);
    }
  }

  private JsonObject ofLines(String path, String list, @Nullable String after) {
    HttpResponse<String> answer =
        Service.send(
            HttpRequest.newBuilder(
                    URI.create(service.publicUrl(path + (after == null ? "" : "?after=" + after))))
                .header("authorization", "Bearer " + key)
                .header("accept", "application/x-ndjson"));
    List<JsonObject> lines = answer.body().lines().map(JsonObject::new).toList();
    return new JsonObject()
        .put(list, new JsonArray(lines.subList(0, lines.size() - 1)))
        .put("pageInfo", lines.getLast().getJsonObject("pageInfo"));
  }

  private JsonObject page(String query) {
    return onePage(CHANGES + query);
  }

  private JsonObject onePage(String path) {
    HttpResponse<String> answer = service.pull(path, key);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private HttpResponse<String> ifNoneMatch(UUID id, String tags) {
    return Service.send(
        HttpRequest.newBuilder(URI.create(service.publicUrl("/api/v1/captures/" + id)))
            .header("authorization", "Bearer " + key)
            .header("if-none-match", tags));
  }

  private JsonObject shown(UUID id) {
    return withoutEmission(new JsonObject(service.pull("/api/v1/captures/" + id, key).body()));
  }

  private static JsonObject withoutEmission(JsonObject document) {
    JsonObject stable = document.copy();
    stable.remove("emitted_at");
    return stable;
  }

  private static List<JsonObject> changes(JsonObject page) {
    return page.getJsonArray("changes").stream().map(JsonObject.class::cast).toList();
  }

  private static String end(JsonObject page) {
    return page.getJsonObject("pageInfo").getString("endCursor");
  }

  private void awaitRevised() {
    await()
        .until(() ->
            service.query("select from renames where workspace_id = '" + workspace + "'").size()
                == 0);
  }

  private void awaitEntered(UUID id) {
    await()
        .until(() ->
            service.query("select 1 from stream where capture_id = '%s'".formatted(id)).size()
                == 1);
  }

  private void erase(UUID id, String reason) {
    service.internal(
        "DELETE", "/internal/v1/captures/" + id, new JsonObject().put("reason", reason));
  }

  private JsonObject named(String name) {
    return new JsonObject().put("workspace_id", workspace.toString()).put("name", name);
  }

  private JsonObject conversation(UUID member, @Nullable String name) {
    JsonObject known = new JsonObject().put("id", member.toString());
    if (name != null) {
      known.put("name", name);
    }
    return Service.capture(workspace)
        .put(
            "participants",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("label", "S1")
                        .put("speech_ms", 500)
                        .put("member", known)
                        .put("match_confidence", 0.75))
                .add(new JsonObject().put("label", "S2").put("speech_ms", 400)))
        .put(
            "segments",
            new JsonArray()
                .add(segment(0, "S1", "Hello."))
                .add(segment(900, "S2", "Good morning.")));
  }

  private static JsonObject segment(int start, String speaker, String text) {
    return new JsonObject()
        .put("start_ms", start)
        .put("end_ms", start + 900)
        .put("speaker", speaker)
        .put("text", text);
  }

  /** What an older dump would hold. */
  private void restoreToFirstChange() {
    service.query(
        """
        begin;
        alter table change_marks disable trigger user;
        delete from change_marks where workspace_id = '%1$s' and last_number > 1;
        alter table change_marks enable trigger user;
        delete from changes where workspace_id = '%1$s' and number > 1;
        update change_heads set number = 1 where workspace_id = '%1$s';
        commit
        """
            .formatted(workspace));
  }
}
