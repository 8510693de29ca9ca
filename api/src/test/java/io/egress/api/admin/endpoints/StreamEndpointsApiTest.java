package io.egress.api.admin.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.api.portal.Browser;
import io.egress.transcript.stream.Cursor;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Endpoints that are sent the stream itself, as administration sees them. */
class StreamEndpointsApiTest {
  private static final Service service = Service.shared();

  private final UUID workspace = UUID.randomUUID();
  private final EndpointsClient endpoints = new EndpointsClient(service, workspace);

  private JsonObject create(JsonObject more) {
    HttpResponse<String> answer = answerTo(more);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return new JsonObject(answer.body());
  }

  private HttpResponse<String> answerTo(JsonObject more) {
    return service.internal(
        "POST",
        endpoints.path(),
        new JsonObject()
            .put("url", "https://receiver.invalid/pages")
            .put("delivery", "stream")
            .mergeIn(more));
  }

  private HttpResponse<String> post(JsonObject endpoint, String what, JsonObject body) {
    return service.internal("POST", endpoints.at(endpoint) + what, body);
  }

  private void turn(JsonObject endpoint, String set) {
    service.query(
        "update turns set %s where endpoint_id = '%s'".formatted(set, endpoint.getString("id")));
  }

  private void received(JsonObject endpoint, String places) {
    service.query(
        "insert into receipts values ('%s', current_date, '%s', '{}', '{}')"
            .formatted(endpoint.getString("id"), places));
  }

  private JsonObject get(String path) {
    return new JsonObject(service.internal("GET", path, "").body());
  }

  @Test
  void beginsNowOrWithTheHistoryOrAtAnInstant() {
    service.enter(workspace, 3);
    JsonObject now = create(new JsonObject());
    assertThat(now.getString("delivery")).isEqualTo("stream");
    assertThat(now.getInteger("batch")).isEqualTo(100);
    assertThat(now.getInteger("max_body")).isEqualTo(1 << 20);
    assertThat(now.getLong("position")).isEqualTo(3);
    assertThat(now.getLong("behind")).isZero();
    assertThat(now.getLong("created_position")).isEqualTo(3);
    assertThat(now.getValue("held")).isNull();

    JsonObject all = create(new JsonObject().put("full_history", true).put("batch", 7));
    assertThat(all.getLong("position")).isZero();
    assertThat(all.getLong("behind")).isEqualTo(3);
    assertThat(all.getBoolean("full_history")).isTrue();
    assertThat(all.getInteger("batch")).isEqualTo(7);

    Instant since = Instant.now().plus(1, ChronoUnit.MINUTES);
    assertThat(create(new JsonObject().put("from", since.toString())).getLong("position"))
        .isEqualTo(3);
    assertThat(create(new JsonObject().put("from", "2020-01-01T00:00:00Z")).getLong("position"))
        .isZero();
    assertThat(endpoints.show(all)).isEqualTo(withoutSecrets(all));
    assertThat(endpoints.list()).hasSize(4);
  }

  @Test
  void theHistoryOfAnyEndpointMayBeginAtAnInstant() {
    service.enter(workspace, 2);
    Instant between =
        service
            .query("select clock_timestamp()")
            .iterator()
            .next()
            .getOffsetDateTime(0)
            .toInstant();
    service.enter(workspace, 1);
    JsonObject from = new JsonObject().put("delivery", "each").put("from", "2020-01-01T00:00:00Z");
    JsonObject all = create(from);
    assertThat(all.getBoolean("full_history")).isTrue();
    assertThat(all.getLong("created_position")).isEqualTo(3);

    JsonObject some = create(from.copy().put("from", between.toString()));
    assertThat(some.getBoolean("full_history")).isFalse();
    assertThat(some.getLong("created_position")).as("what it begins after").isEqualTo(2);
    JsonObject verification = get(endpoints.at(some) + "/verification");
    assertThat(verification.getLong("from_position")).isEqualTo(3);
    assertThat(verification.getLong("to_position")).isEqualTo(3);
    assertThat(verification.getLong("missing")).isZero();

    JsonObject now = create(from.copy().put("from", Instant.now().plusSeconds(60).toString()));
    assertThat(now.getBoolean("full_history")).isFalse();
    assertThat(now.getLong("created_position")).isEqualTo(3);
    assertThat(answerTo(from.copy().put("full_history", true)).body())
        .contains("from: cannot be combined with full_history");
  }

  private static JsonObject withoutSecrets(JsonObject created) {
    JsonObject copy = created.copy();
    copy.remove("secret");
    copy.remove("standard_webhooks_secret");
    return copy;
  }

  @Test
  void refusesWhatDoesNotFit() {
    assertThat(answerTo(new JsonObject().put("delivery", "pages")).body())
        .contains("delivery: must be each or stream");
    assertThat(answerTo(new JsonObject().put("delivery", "each").put("batch", 5)).body())
        .contains("batch: is only for the delivery stream");
    assertThat(answerTo(new JsonObject().put("batch", 101)).statusCode()).isEqualTo(400);
    assertThat(answerTo(new JsonObject().put("max_body", 1)).statusCode()).isEqualTo(400);
    assertThat(
            answerTo(new JsonObject().put("from", "2020-01-01T00:00:00Z").put("full_history", true))
                .body())
        .contains("from: cannot be combined with full_history");
    JsonObject endpoint = create(new JsonObject());
    assertThat(post(endpoint, "/replays", new JsonObject().put("from_position", 1)).statusCode())
        .isEqualTo(409);
    JsonObject each = endpoints.create("https://receiver.invalid/each");
    assertThat(each.getString("delivery")).isEqualTo("each");
    assertThat(each.getValue("position")).isNull();
    assertThat(post(each, "/seek", new JsonObject().put("to_end", true)).statusCode())
        .isEqualTo(409);
  }

  @Test
  void aCaptureThatHoldsItIsSkippedByAPerson() {
    List<UUID> captures = service.enter(workspace, 3);
    JsonObject endpoint = create(new JsonObject().put("full_history", true));
    JsonObject skip = new JsonObject().put("capture_id", captures.get(1).toString());
    assertThat(post(endpoint, "/skip", skip).statusCode()).as("not held").isEqualTo(409);

    turn(
        endpoint,
        "position = 1, read_up_to = 1, page_up_to = 3, page_end = 2, looked_up_to = 2, held_capture = '%s', failing_since = now(), last_outcome = 'status', last_status = 422"
            .formatted(captures.get(1)));
    received(endpoint, "{[1,2)}");
    JsonObject held = endpoints.show(endpoint).getJsonObject("held");
    assertThat(held.getString("capture_id")).isEqualTo(captures.get(1).toString());
    assertThat(held.getInteger("status")).isEqualTo(422);
    assertThat(held.getInstant("since")).isNotNull();

    HttpResponse<String> skipped = post(endpoint, "/skip", skip.put("reason", "too long"));
    assertThat(skipped.statusCode()).as(skipped.body()).isEqualTo(200);
    JsonObject after = new JsonObject(skipped.body());
    assertThat(after.getValue("held")).isNull();
    assertThat(after.getLong("position")).isEqualTo(2);
    JsonObject verification = get(endpoints.at(endpoint) + "/verification");
    assertThat(verification.getLong("delivered")).isEqualTo(1);
    assertThat(verification.getLong("skipped")).isEqualTo(1);
    assertThat(verification.getLong("pending")).isEqualTo(1);
    assertThat(verification.getLong("missing")).isZero();
    assertThat(get("/internal/v1/workspaces/" + workspace + "/audit").encode())
        .contains("endpoint.skipped", "too long");
    JsonObject copies = get("/internal/v1/captures/" + captures.getFirst() + "/copies");
    assertThat(copies.getJsonArray("endpoints").getJsonObject(0).getString("sent"))
        .isEqualTo("yes");
    assertThat(
            get("/internal/v1/captures/" + captures.get(1) + "/copies").getJsonArray("endpoints"))
        .isEmpty();
  }

  @Test
  void itsCursorIsMovedByAPerson() {
    service.enter(workspace, 4);
    JsonObject endpoint = create(new JsonObject());
    JsonObject moved =
        new JsonObject(post(endpoint, "/seek", new JsonObject().put("from_position", 3)).body());
    assertThat(moved.getLong("position")).isEqualTo(2);
    Cursor cursor = Cursor.decode(moved.getString("cursor")).orElseThrow();
    assertThat(cursor.position()).isEqualTo(2);
    assertThat(endpoints.show(endpoint).getLong("behind")).isEqualTo(2);

    assertThat(
            new JsonObject(post(endpoint, "/seek", new JsonObject().put("from_position", 1)).body())
                .getValue("cursor"))
        .isNull();
    assertThat(post(endpoint, "/seek", new JsonObject().put("from_position", 6)).statusCode())
        .isEqualTo(409);
    assertThat(post(endpoint, "/seek", new JsonObject()).statusCode()).isEqualTo(400);
    JsonObject both = new JsonObject().put("from_position", 1).put("to_end", true);
    assertThat(post(endpoint, "/seek", both).statusCode()).isEqualTo(400);
    post(endpoint, "/seek", new JsonObject().put("to_end", true));
    assertThat(endpoints.show(endpoint).getLong("behind")).isZero();
  }

  @Test
  void itsPagesAreListedAndFoundByACapture() {
    List<UUID> captures = service.enter(workspace, 4);
    JsonObject endpoint = create(new JsonObject().put("full_history", true).put("batch", 2));
    String id = endpoint.getString("id");
    new LogMaintenance(service.database, new LogDays(Clock.systemUTC(), Duration.ofDays(3))).run();
    UUID first = UUID.randomUUID();
    for (int page = 0; page < 2; page++) {
      service.query(
          """
          insert into pages (day, id, endpoint_id, after_position, last_position, tried_up_to, documents, state, attempts, owed_at)
          values (current_date, '%s', '%s', %d, %d, %d, 2, 'delivered', 1, now() + interval '%d s')
          """
              .formatted(
                  page == 0 ? first : UUID.randomUUID(),
                  id,
                  2 * page,
                  2 * page + 2,
                  2 * page + 2,
                  page));
    }
    String path = endpoints.at(endpoint) + "/pages";
    assertThat(get(path).getJsonArray("pages")).hasSize(2);
    JsonObject newest = get(path + "?limit=1");
    assertThat(newest.getJsonArray("pages").getJsonObject(0).getLong("last_position")).isEqualTo(4);
    String next = newest.getJsonObject("pageInfo").getString("endCursor");
    assertThat(get(path + "?after=" + next).getJsonArray("pages").getJsonObject(0).getString("id"))
        .isEqualTo(first.toString());
    assertThat(
            get(path + "?capture_id=" + captures.get(1))
                .getJsonArray("pages")
                .getJsonObject(0)
                .getString("id"))
        .isEqualTo(first.toString());
    assertThat(get(path + "?capture_id=" + UUID.randomUUID()).getJsonArray("pages")).isEmpty();
  }

  private static final List<String> ALL_EVENTS =
      List.of("capture.processed", "capture.updated", "capture.erased");

  private void erase(UUID capture) {
    service.internal("DELETE", "/internal/v1/captures/" + capture, "{\"reason\":\"asked\"}");
  }

  @Test
  void changesHaveACursorOfTheirOwn() {
    List<UUID> captures = service.enter(workspace, 4);
    erase(captures.getFirst());
    JsonObject endpoint = create(new JsonObject().put("full_history", true));
    assertThat(endpoint.getValue("changes_position")).as("not subscribed").isNull();
    Instant before = Instant.now();
    erase(captures.get(1));
    erase(captures.get(2));
    JsonObject subscribed =
        new JsonObject(
            endpoints.change(endpoint, new JsonObject().put("events", ALL_EVENTS).encode()).body());
    assertThat(subscribed.getLong("changes_position")).as("since its creation").isEqualTo(1);
    assertThat(
            service.query(
                "select id from backfills where endpoint_id = '%s' union all select endpoint_id from erasure_backfills where endpoint_id = '%s'"
                    .formatted(endpoint.getString("id"), endpoint.getString("id"))))
        .isEmpty();

    JsonObject changes = new JsonObject().put("feed", "changes");
    JsonObject moved =
        new JsonObject(post(endpoint, "/seek", changes.copy().put("from_position", 3)).body());
    assertThat(moved.getLong("position")).isEqualTo(2);
    String key = service.mintKey(workspace);
    JsonObject pulled =
        new JsonObject(
            service.pull("/api/v1/changes?after=" + moved.getString("cursor"), key).body());
    assertThat(pulled.getJsonArray("changes")).hasSize(1);
    JsonObject shown = endpoints.show(endpoint);
    assertThat(shown.getLong("changes_position")).isEqualTo(2);
    assertThat(shown.getLong("position")).as("the other cursor").isZero();
    post(endpoint, "/seek", changes.copy().put("from", before.toString()));
    assertThat(endpoints.show(endpoint).getLong("changes_position")).isEqualTo(1);
    post(endpoint, "/seek", changes.copy().put("to_end", true));
    assertThat(endpoints.show(endpoint).getLong("changes_position")).isEqualTo(3);
    assertThat(post(endpoint, "/seek", changes.copy().put("from_position", 5)).statusCode())
        .isEqualTo(409);
    assertThat(post(endpoint, "/seek", changes.copy().put("feed", "deletions")).body())
        .contains("feed: must be captures or changes");
    assertThat(get("/internal/v1/workspaces/" + workspace + "/audit").encode())
        .contains("\"changes_position\":{\"to\":2,\"from\":1}");
  }

  @Test
  void aChangeThatHoldsItIsSkippedByAPerson() {
    List<UUID> captures = service.enter(workspace, 2);
    JsonObject endpoint = create(new JsonObject().put("events", ALL_EVENTS));
    erase(captures.get(0));
    erase(captures.get(1));
    turn(
        endpoint,
        "feed = 'changes', page_up_to = 2, page_end = 1, looked_up_to = 1, held_capture = '%s', failing_since = now(), last_outcome = 'status', last_status = 422"
            .formatted(captures.getFirst()));
    JsonObject skip = new JsonObject().put("capture_id", captures.getFirst().toString());
    JsonObject after = new JsonObject(post(endpoint, "/skip", skip).body());
    assertThat(after.getLong("changes_position")).isEqualTo(1);
    assertThat(after.getLong("position")).isEqualTo(2);
    assertThat(after.getValue("held")).isNull();
  }

  @Test
  void pagesOfChangesAreFoundByTheirCapturesAndForgetAnswersOfErasedOnes() {
    List<UUID> captures = service.enter(workspace, 3);
    JsonObject endpoint = create(new JsonObject().put("events", ALL_EVENTS));
    String id = endpoint.getString("id");
    new LogMaintenance(service.database, new LogDays(Clock.systemUTC(), Duration.ofDays(3))).run();
    for (int page = 0; page < 2; page++) {
      UUID pageId = UUID.randomUUID();
      service.query(
          """
          with page as (
            insert into pages (day, id, endpoint_id, changed, after_position, last_position, tried_up_to, documents, state, attempts, owed_at)
            values (current_date, '%s', '%s', '{%s}', %d, %d, %d, 1, 'pending', 1, now() + interval '%d s') returning day, id)
          insert into attempts (day, delivery_id, attempt, started_at, duration_ms, outcome, status, answer)
          select day, id, 1, now(), 1, 'status', 422, 'what it said' from page
          """
              .formatted(pageId, id, captures.get(page), page, page + 1, page + 1, page));
    }
    String path = endpoints.at(endpoint) + "/pages";
    JsonObject found =
        get(path + "?capture_id=" + captures.getFirst()).getJsonArray("pages").getJsonObject(0);
    assertThat(found.getString("event")).isEqualTo("changes.page");
    assertThat(found.getLong("last_position")).isEqualTo(1);
    assertThat(found.getString("answer")).isEqualTo("what it said");
    assertThat(get(path + "?capture_id=" + captures.get(2)).getJsonArray("pages")).isEmpty();

    JsonObject shown =
        get("/internal/v1/workspaces/" + workspace + "/pages/" + found.getString("id"));
    assertThat(shown.getString("endpoint_id")).isEqualTo(id);
    assertThat(shown.getString("event")).isEqualTo("changes.page");
    JsonObject attempt = shown.getJsonArray("attempt_log").getJsonObject(0);
    assertThat(attempt.getString("answer")).isEqualTo("what it said");
    assertThat(attempt.getInteger("status")).isEqualTo(422);
    assertThat(attempt.getBoolean("is_body_known")).isFalse();
    for (String elsewhere :
        List.of(
            workspace + "/pages/" + UUID.randomUUID(),
            UUID.randomUUID() + "/pages/" + found.getString("id"))) {
      assertThat(service.internal("GET", "/internal/v1/workspaces/" + elsewhere, "").statusCode())
          .isEqualTo(404);
    }

    erase(captures.getFirst());
    await()
        .untilAsserted(() ->
            assertThat(get(path).getJsonArray("pages"))
                .extracting(each -> ((JsonObject) each).getString("answer"))
                .containsExactly("what it said", null));
  }

  @Test
  void readersHaveItsChanges() {
    List<UUID> captures = service.enter(workspace, 2);
    JsonObject endpoint = create(new JsonObject().put("events", ALL_EVENTS));
    erase(captures.get(0));
    erase(captures.get(1));
    turn(endpoint, "changes_position = 1, changes_read_up_to = 1");
    JsonObject reader =
        get("/internal/v1/workspaces/" + workspace + "/readers")
            .getJsonArray("readers")
            .getJsonObject(0);
    assertThat(reader.getJsonObject("captures").getString("state")).isEqualTo("at_end");
    JsonObject changes = reader.getJsonObject("changes");
    assertThat(changes.getString("state")).isEqualTo("reading");
    assertThat(changes.getLong("position")).isEqualTo(1);
    assertThat(changes.getLong("behind")).isEqualTo(1);
    assertThat(changes.getInstant("oldest_at")).isNotNull();
  }

  @Test
  void nothingIsOwedToItByItself() {
    service.enter(workspace, 2);
    JsonObject endpoint = create(new JsonObject().put("full_history", true));
    String ofWorkspace = "/internal/v1/workspaces/" + workspace;
    assertThat(get(ofWorkspace + "/deliveries").getJsonArray("deliveries")).isEmpty();
    assertThat(get(endpoints.at(endpoint) + "/deliveries").getJsonArray("deliveries")).isEmpty();
  }

  @Test
  void itsDayIsShownOnItsPage() {
    service.enter(workspace, 5);
    JsonObject endpoint = create(new JsonObject().put("full_history", true));
    turn(endpoint, "position = 3, read_up_to = 3");
    received(endpoint, "{[1,4)}");
    Browser browser = Browser.at(service, workspace, "view");
    String page =
        browser.get("/portal/" + workspace + "/endpoints/" + endpoint.getString("id")).body();
    assertThat(page).contains("3 delivered").contains("2 not attempted yet");
    assertThat(page).doesNotContain("its history, are not counted here");
  }

  @Test
  void aPersonMakesOneAndSkipsOnThePage() {
    Browser browser = Browser.at(service, workspace, "admin");
    String page = "/portal/" + workspace;
    HttpResponse<String> created =
        browser.submit(
            page + "/endpoints/new",
            page + "/endpoints",
            Map.of(
                "url",
                "https://receiver.invalid/",
                "delivery",
                "stream",
                "batch",
                "9",
                "from",
                "2020-01-01T00:00:00"));
    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    JsonObject endpoint = (JsonObject) endpoints.list().getFirst();
    String at = page + "/endpoints/" + endpoint.getString("id");
    assertThat(browser.get(at).body()).contains("in pages of at most 9 captures");
    HttpResponse<String> paused = browser.submit(at, at + "/pause", Map.of());
    assertThat(browser.get(paused.headers().firstValue("location").orElseThrow()).body())
        .contains("Nothing is skipped: it goes on where it stopped");

    UUID capture = service.enter(workspace, 1).getFirst();
    turn(
        endpoint,
        "page_up_to = 1, page_end = 1, looked_up_to = 1, held_capture = '%s', failing_since = now(), last_outcome = 'status', last_status = 400"
            .formatted(capture));
    assertThat(browser.get(at).body()).contains("Held by a capture", capture.toString());
    HttpResponse<String> skipped =
        browser.submit(at, at + "/skip", Map.of("capture_id", capture.toString(), "reason", "odd"));
    assertThat(skipped.statusCode()).isLessThan(400);
    assertThat(browser.get(at).body()).doesNotContain("Held by a capture");
    assertThat(browser.get(page + "/audit").body()).contains("which was held by it: “odd”");
  }
}
