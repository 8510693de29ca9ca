package io.egress.api.pull;

import static io.egress.api.pull.ReadFromStandby.cursor;
import static io.egress.api.pull.ReadFromStandby.erase;
import static io.egress.api.pull.ReadFromStandby.hasNext;
import static io.egress.api.pull.ReadFromStandby.ids;
import static io.egress.api.pull.ReadFromStandby.page;
import static io.egress.api.pull.ReadFromStandby.pages;
import static io.egress.api.pull.ReadFromStandby.replaced;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages come from a standby that may be far behind; what it does not have is the primary's. */
@Tag("full")
class StandbyPagesTest {
  private static ReadFromStandby servers;
  private static Service service;

  private UUID workspace;
  private String key;
  private List<UUID> entered;

  @BeforeAll
  static void start(@TempDir Path folder) {
    servers = new ReadFromStandby(folder);
    service = servers.service("1d");
    ReadFromStandby.awaitStandby(service, "up");
  }

  @AfterAll
  static void stop() {
    service.close();
    servers.close();
  }

  @BeforeEach
  void enterThree() {
    workspace = UUID.randomUUID();
    key = service.mintKey(workspace);
    entered = service.enter(workspace, 3);
    servers.awaitReplayed();
  }

  @AfterEach
  void release() {
    servers.release();
  }

  @Test
  void readsPagesFromTheStandby() {
    int ofStandby = pages(service, "standby");
    int ofPrimary = pages(service, "primary");

    JsonObject first = page(service, key, "?limit=2");
    JsonObject second = page(service, key, "?limit=2&after=" + cursor(first));
    JsonObject last = page(service, key, "?limit=2&after=" + cursor(second));

    assertThat(ids(first)).isEqualTo(entered.subList(0, 2));
    assertThat(hasNext(first)).isTrue();
    assertThat(ids(second)).isEqualTo(entered.subList(2, 3));
    assertThat(hasNext(second)).isFalse();
    assertThat(ids(last)).isEmpty();
    assertThat(pages(service, "standby")).isEqualTo(ofStandby + 3);
    assertThat(pages(service, "primary")).isEqualTo(ofPrimary);
  }

  @Test
  void readsTheWholeStreamFromTheStandby() {
    int ofStandby = pages(service, "standby");

    assertThat(lines()).isEqualTo(entered);

    assertThat(pages(service, "standby")).isEqualTo(ofStandby + 1);
  }

  /** A document is read in a chunk of its own if it does not fit into the first one. */
  @Test
  void readsLargeDocumentsFromTheStandby() {
    UUID large = UUID.randomUUID();
    JsonObject capture = ofIncompressibleText();
    service.put(large, capture);
    UUID larger = UUID.randomUUID();
    service.put(larger, ofIncompressibleText());
    await().until(() -> ids(page(service, key, "")).size() == 5);
    servers.awaitReplayed();
    servers.hold();
    int ofStandby = pages(service, "standby");

    JsonObject page = page(service, key, "");

    assertThat(ids(page))
        .containsExactly(entered.get(0), entered.get(1), entered.get(2), large, larger);
    assertThat(pages(service, "standby")).isEqualTo(ofStandby + 1);
    service.put(large, capture.put("title", "Corrected"));
    assertThat(page(service, key, "").encode()).contains("Corrected");
  }

  /** Its reader may have read of the change already. */
  @Test
  void aPageShowsNoCaptureAsItWasBeforeAChange() {
    servers.hold();
    service.put(entered.get(1), Service.capture(workspace).put("title", "Corrected"));
    int changes = replaced(service, "change");
    int ofStandby = pages(service, "standby");

    JsonObject first = page(service, key, "?limit=1");
    JsonObject second = page(service, key, "?limit=1&after=" + cursor(first));

    assertThat(pages(service, "standby")).as("the first capture").isEqualTo(ofStandby + 1);
    assertThat(second.encode()).contains("Corrected");
    assertThat(replaced(service, "change")).isEqualTo(changes + 1);
  }

  @Test
  void readsChangesFromTheStandbyUnlessItLacksThem() {
    service.put(entered.get(0), Service.capture(workspace).put("title", "First"));
    servers.awaitReplayed();
    int ofStandby = pages(service, "standby");
    JsonObject first = changes("");
    assertThat(first.encode()).contains("First");
    assertThat(pages(service, "standby")).isEqualTo(ofStandby + 1);

    servers.hold();
    service.put(entered.get(1), Service.capture(workspace).put("title", "Second"));

    JsonObject beginning = changes("");
    assertThat(beginning.encode()).contains("First").doesNotContain("Second");
    assertThat(hasNext(beginning)).isTrue();
    assertThat(changes("?after=" + cursor(beginning)).encode()).contains("Second");
    erase(service, entered.get(0));
    assertThat(changes("").encode()).doesNotContain("First").contains("erased");
  }

  private JsonObject changes(String query) {
    HttpResponse<String> answer = service.pull("/api/v1/changes" + query, key);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  @Test
  void aStandbyThatIsBehindSendsTheBeginningAndThePrimaryTheRest() {
    String end = cursor(page(service, key, ""));
    servers.hold();
    List<UUID> later = service.enter(workspace, 2);
    int behind = replaced(service, "behind_cursor");

    JsonObject beginning = page(service, key, "");
    JsonObject rest = page(service, key, "?after=" + cursor(beginning));

    assertThat(ids(beginning)).isEqualTo(entered);
    assertThat(hasNext(beginning)).isTrue();
    assertThat(cursor(beginning)).isEqualTo(end);
    assertThat(ids(rest)).isEqualTo(later);
    assertThat(hasNext(rest)).isFalse();
    assertThat(replaced(service, "behind_cursor")).isEqualTo(behind + 1);
    assertThat(ids(page(service, key, "?after=" + cursor(rest)))).isEmpty();
    assertThat(replaced(service, "behind_cursor"))
        .as("the standby does not have the position of the cursor")
        .isEqualTo(behind + 2);
  }

  @Test
  void theWholeStreamEndsWhereThePrimaryEnds() {
    servers.hold();
    List<UUID> later = service.enter(workspace, 2);

    assertThat(lines()).startsWith(entered.toArray(UUID[]::new)).endsWith(later.get(1)).hasSize(5);
  }

  @Test
  void aHeldRequestGetsWhatTheStandbyDoesNotHaveYet() {
    String end = cursor(page(service, key, ""));
    servers.hold();
    CompletableFuture<JsonObject> held =
        CompletableFuture.supplyAsync(() -> page(service, key, "?wait=30&after=" + end));
    await().until(() -> service.metrics().anyMatch(line -> line.equals("egress_pull_held 1.0")));

    List<UUID> later = service.enter(workspace, 1);

    assertThat(ids(held.join())).isEqualTo(later);
  }

  @Test
  void anErasedCaptureIsInNoPageAlthoughTheStandbyHasIt() {
    assertThat(ids(page(service, key, ""))).isEqualTo(entered);
    servers.hold();
    int erasures = replaced(service, "erasure");

    erase(service, entered.get(1));

    assertThat(ids(page(service, key, ""))).containsExactly(entered.get(0), entered.get(2));
    assertThat(lines()).containsExactly(entered.get(0), entered.get(2));
    assertThat(replaced(service, "erasure")).isEqualTo(erasures + 2);

    servers.release();
    servers.awaitReplayed();
    int ofStandby = pages(service, "standby");
    assertThat(ids(page(service, key, ""))).containsExactly(entered.get(0), entered.get(2));
    assertThat(pages(service, "standby")).isEqualTo(ofStandby + 1);
  }

  @Test
  void anErasedMemberIsInNoPageAlthoughTheStandbyHasItsName() {
    UUID ada = UUID.randomUUID();
    service.put(UUID.randomUUID(), ofMember(ada));
    await().until(() -> page(service, key, "").encode().contains("Ada Lovelace"));
    servers.awaitReplayed();
    servers.hold();

    HttpResponse<String> erased =
        service.internal(
            "DELETE", "/internal/v1/workspaces/%s/members/%s".formatted(workspace, ada), "");

    assertThat(erased.statusCode()).as(erased.body()).isEqualTo(200);
    assertThat(page(service, key, "").encode()).doesNotContain("Ada Lovelace");
  }

  @Test
  void aDeletedKeyIsRejectedAtOnceAndANewOneIsAccepted() {
    servers.hold();
    String another = service.mintKey(workspace);
    assertThat(ids(page(service, another, ""))).isEqualTo(entered);
    String keys = "/internal/v1/workspaces/" + workspace + "/api-keys";
    new JsonObject(service.internal("GET", keys, "").body())
        .getJsonArray("api_keys")
        .forEach(each ->
            service.internal("DELETE", keys + "/" + ((JsonObject) each).getString("id"), ""));

    assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(401);
    assertThat(service.pull("/api/v1/captures", another).statusCode()).isEqualTo(401);
  }

  @Test
  void aCaptureByItsIdIsCurrent() {
    servers.hold();
    service.put(entered.get(0), Service.capture(workspace).put("title", "Corrected"));

    assertThat(service.pull("/api/v1/captures/" + entered.get(0), key).body())
        .contains("Corrected");
  }

  @Test
  void aCursorOfAnotherHistoryIsRefused() {
    UUID other = UUID.randomUUID();
    String otherKey = service.mintKey(other);
    service.enter(other, 1);
    String foreign = cursor(page(service, otherKey, ""));

    HttpResponse<String> refused = service.pull("/api/v1/captures?after=" + foreign, key);

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(refused.body()).contains("another history");
  }

  private List<UUID> lines() {
    HttpResponse<String> answer =
        Service.send(
            HttpRequest.newBuilder(URI.create(service.publicUrl("/api/v1/captures")))
                .header("authorization", "Bearer " + key)
                .header("accept", "application/x-ndjson"));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    List<JsonObject> lines = answer.body().lines().map(JsonObject::new).toList();
    assertThat(hasNext(lines.get(lines.size() - 1))).isFalse();
    return lines.stream()
        .filter(line -> !line.containsKey("pageInfo"))
        .map(line -> UUID.fromString(line.getString("id")))
        .toList();
  }

  private JsonObject ofIncompressibleText() {
    StringBuilder text = new StringBuilder();
    while (text.length() < 900_000) {
      text.append(UUID.randomUUID());
    }
    return Service.capture(workspace)
        .put(
            "segments",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("start_ms", 0)
                        .put("end_ms", 900)
                        .put("text", text.toString())));
  }

  private JsonObject ofMember(UUID member) {
    return Service.capture(workspace)
        .put(
            "participants",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("label", "S1")
                        .put(
                            "member",
                            new JsonObject()
                                .put("id", member.toString())
                                .put("name", "Ada Lovelace")
                                .put("email", "ada@example.com"))
                        .put("speech_ms", 900)));
  }
}
