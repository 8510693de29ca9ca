package io.egress.api.admin.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.api.portal.Browser;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Who reads, how far, and who has stopped. */
class ReadersTest {
  private static final Service service = Service.shared();

  private final UUID workspace = UUID.randomUUID();
  private final String api = "/internal/v1/workspaces/" + workspace;

  @Test
  void aKeyThatNobodyUsesHasReadNothing() {
    service.mintKey(workspace);
    service.enter(workspace, 3);

    assertThat(place("captures")).isEqualTo(place("never", 0, 3));
    assertThat(place("changes")).isEqualTo(place("never", 0, 0));
  }

  @Test
  void isAtTheEndOnceItWasSentTheEnd() {
    String key = service.mintKey(workspace);
    service.enter(workspace, 3);

    pull("captures?limit=2", key);
    assertThat(place("captures")).isEqualTo(place("reading", 2, 1));
    assertThat(reader().getJsonObject("captures").getString("oldest_at")).isNotNull();

    pull("captures?limit=3", key);
    assertThat(place("captures")).isEqualTo(place("at_end", 3, 0));
    assertThat(reader().getJsonObject("captures").getString("oldest_at")).isNull();
    assertThat(reader().getBoolean("reads_by_id")).isFalse();
  }

  @Test
  void hasStoppedIfSomethingIsNewAndItDoesNotAsk() {
    String key = service.mintKey(workspace);
    service.enter(workspace, 1);
    pull("captures", key);
    service.query(
        "update api_keys set last_used_at = now() - interval '61 minutes' where workspace_id = '%s'"
            .formatted(workspace));
    assertThat(place("captures")).as("nothing is new").isEqualTo(place("at_end", 1, 0));

    service.enter(workspace, 2);

    assertThat(place("captures")).isEqualTo(place("stopped", 1, 2));
    assertThat(Browser.at(service, workspace, "view").get("/portal/" + workspace + "/keys").body())
        .contains(">stopped, 2 behind, the oldest for");
  }

  @Test
  void whatWasErasedAtTheEndIsNotMissing() {
    String key = service.mintKey(workspace);
    List<UUID> all = service.enter(workspace, 3);
    erase(all.get(2));

    pull("captures", key);

    assertThat(place("captures")).isEqualTo(place("at_end", 2, 0));
    assertThat(place("changes")).isEqualTo(place("never", 0, 1));
    pull("changes", key);
    assertThat(place("changes")).isEqualTo(place("at_end", 1, 0));
  }

  /** Others are not for it, so they are neither read nor missing. */
  @Test
  void aKeyWithAFilterIsMeasuredByWhatItMayRead() {
    JsonObject minted =
        new JsonObject(
            service
                .internal(
                    "POST",
                    api + "/api-keys",
                    "{\"name\":\"manual\",\"filter\":{\"modes\":[\"manual\"]}}")
                .body());
    service.enter(workspace, 2);
    UUID manual = UUID.randomUUID();
    service.put(manual, Service.capture(workspace).put("mode", "manual"));
    service.enter(workspace, 2);
    assertThat(place("captures")).isEqualTo(place("never", 0, 1));

    pull("captures", minted.getString("key"));

    assertThat(place("captures")).isEqualTo(place("at_end", 3, 0));
  }

  @Test
  void aReaderThatStartsNowIsBehindNothingOfTheHistory() {
    String key = service.mintKey(workspace);
    service.enter(workspace, 5);
    JsonObject start = pull("captures?start=now", key);
    service.enter(workspace, 1);

    pull("captures?after=" + start.getJsonObject("pageInfo").getString("endCursor"), key);

    assertThat(place("captures")).isEqualTo(place("at_end", 6, 0));
  }

  /** A nightly job has not stopped in between. */
  @Test
  void hasNotStoppedAsLongAsItIsNotExpected() {
    String key = service.mintKey(workspace);
    service.enter(workspace, 1);
    pull("captures", key);
    service.enter(workspace, 1);
    String used =
        "update api_keys set last_used_at = now() - interval '%s' where workspace_id = '%s'";
    service.query(used.formatted("25 hours", workspace));
    assertThat(place("captures")).isEqualTo(place("stopped", 1, 1));

    JsonObject expected =
        new JsonObject(
            service
                .internal(
                    "PATCH",
                    api + "/api-keys/" + reader().getString("key_id"),
                    "{\"expect_within\":\"26h\"}")
                .body());

    assertThat(expected.getString("expect_within")).isEqualTo("26h");
    assertThat(reader().getString("expect_within")).isEqualTo("26h");
    assertThat(place("captures")).isEqualTo(place("reading", 1, 1));
    service.query(used.formatted("27 hours", workspace));
    assertThat(place("captures")).isEqualTo(place("stopped", 1, 1));
  }

  @Test
  void theOverviewSaysWhoIsKnownToHaveStopped() {
    service.mintKey(workspace);
    service.enter(workspace, 1);
    Browser viewer = Browser.at(service, workspace, "view");
    String overview = "/portal/" + workspace + "/";
    assertThat(viewer.get(overview).body()).doesNotContain("has stopped reading");

    service.query(
        "update api_keys set expect_within_ms = 8 * 86400000, stopped_at = now() where workspace_id = '%s'"
            .formatted(workspace));

    assertThat(viewer.get(overview).body())
        .contains("has stopped reading: it is expected to pull every 8 d and has never pulled,");
    assertThat(viewer.get("/portal/" + workspace + "/keys").body())
        .contains(">does not pull<", "expected every 8 d");
    assertThat(reader().getString("stopped_at")).isNotNull();
  }

  @Test
  void endpointsThatAreSentTheStreamAreReaders() {
    service.mintKey(workspace);
    JsonObject endpoint =
        new JsonObject(
            service
                .internal(
                    "POST",
                    api + "/endpoints",
                    "{\"url\":\"https://receiver.invalid/pages\",\"delivery\":\"stream\",\"full_history\":true}")
                .body());
    service.internal("POST", api + "/endpoints", "{\"url\":\"https://receiver.invalid/each\"}");
    assertThat(readerOf(endpoint)).isEqualTo(place("at_end", 0, 0));
    service.enter(workspace, 3);
    assertThat(readerOf(endpoint)).isEqualTo(place("never", 0, 3));

    turn(endpoint, "position = 2, read_up_to = 2");
    assertThat(readerOf(endpoint)).isEqualTo(place("reading", 2, 1));
    turn(endpoint, "failing_since = now() - interval '61 minutes'");
    assertThat(readerOf(endpoint)).isEqualTo(place("stopped", 2, 1));
    turn(endpoint, "failing_since = null, position = 3, read_up_to = 3");
    assertThat(readerOf(endpoint)).isEqualTo(place("at_end", 3, 0));

    JsonObject pages = new JsonObject(service.internal("GET", api + "/readers?limit=1", "").body());
    String next = pages.getJsonObject("pageInfo").getString("endCursor");
    assertThat(readers("?limit=1&after=" + next))
        .extracting(each -> ((JsonObject) each).getString("name"))
        .containsExactly("https://receiver.invalid/pages");
    assertThat(readers("")).hasSize(2);
  }

  private JsonArray readers(String query) {
    return new JsonObject(service.internal("GET", api + "/readers" + query, "").body())
        .getJsonArray("readers");
  }

  private JsonObject readerOf(JsonObject endpoint) {
    return readers("").stream()
        .map(each -> (JsonObject) each)
        .filter(each -> endpoint.getString("id").equals(each.getString("endpoint_id")))
        .map(each -> each.getJsonObject("captures").copy())
        .peek(place -> place.remove("oldest_at"))
        .findFirst()
        .orElseThrow();
  }

  private void turn(JsonObject endpoint, String set) {
    service.query(
        "update turns set %s where endpoint_id = '%s'".formatted(set, endpoint.getString("id")));
  }

  private void erase(UUID captureId) {
    service.internal("DELETE", "/internal/v1/captures/" + captureId, "{\"reason\":\"x\"}");
  }

  /** The use of a key is stored in the background. */
  private JsonObject pull(String query, String key) {
    JsonObject page = new JsonObject(service.pull("/api/v1/" + query, key).body());
    await().until(() -> reader().getString("last_used_at") != null);
    return page;
  }

  private JsonObject reader() {
    return new JsonObject(service.internal("GET", api + "/readers", "").body())
        .getJsonArray("readers")
        .getJsonObject(0);
  }

  private JsonObject place(String feed) {
    JsonObject place = reader().getJsonObject(feed).copy();
    place.remove("oldest_at");
    return place;
  }

  private static JsonObject place(String state, long position, long behind) {
    return new JsonObject().put("state", state).put("position", position).put("behind", behind);
  }
}
