package io.egress.api.admin.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.api.portal.Browser;
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
