package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What does not match an endpoint's filter is neither sent, nor listed, counted or missing. */
@Execution(ExecutionMode.CONCURRENT)
class FiltersTest {
  private static final UUID OTHER_DEVICE = UUID.randomUUID();
  private static final JsonObject MANUAL = filter("modes", "manual");

  private static Vertx vertx;
  private static Inbox inbox;
  private static BothRoles roles;

  private final UUID workspace = UUID.randomUUID();
  private final String receiver = workspace.toString();
  private String endpoint = "";

  @BeforeAll
  static void start() {
    vertx = Vertx.vertx();
    inbox = new Inbox(vertx);
    roles = new BothRoles(BothRoles.environment());
  }

  @AfterAll
  static void stop() {
    roles.close();
    done(vertx.close());
  }

  @Test
  void onlyWhatMatchesIsOwed() {
    UUID ambient = put("ambient", workspace);
    UUID manual = put("manual", workspace);
    create(true, MANUAL);
    UUID laterAmbient = put("ambient", OTHER_DEVICE);
    UUID laterManual = put("manual", OTHER_DEVICE);

    awaitReceived(manual, laterManual);
    assertThat(listed()).containsExactlyInAnyOrder(manual, laterManual);
    assertVerified(2);

    rename(ambient, "ambient");
    rename(laterManual, "manual");
    erase(manual);
    erase(laterAmbient);
    await().until(() -> listed("erasure").size() == 1);
    await().until(() -> listed("update").size() == 1);

    assertThat(listed("erasure")).containsExactly(manual);
    assertThat(listed("update")).containsExactly(laterManual);
    assertThat(
            roles
                .call("GET", "/captures/" + ambient + "/copies", new JsonObject())
                .getJsonArray("endpoints"))
        .isEmpty();
  }

  @Test
  void aChangeHoldsForWhatEntersFromThenOn() {
    create(false, MANUAL);
    UUID manual = put("manual", workspace);
    UUID ambient = put("ambient", workspace);
    change(filter("devices", OTHER_DEVICE.toString()));
    UUID manualLater = put("manual", workspace);
    UUID ofDevice = put("ambient", OTHER_DEVICE);
    awaitReceived(manual, ofDevice);
    assertVerified(2);

    change(null);
    UUID any = put("ambient", workspace);
    awaitReceived(manual, ofDevice, any);
    assertVerified(3);
    assertThat(listed()).doesNotContain(ambient, manualLater);

    roles.call(
        "PUT",
        "/captures/" + manualLater,
        BothRoles.capture(workspace).put("device", device(OTHER_DEVICE)));
    assertThat(listed()).as("what it was when it entered counts").doesNotContain(manualLater);
    assertVerified(3);
  }

  @Test
  void aReplaySendsWhatTheFilterWantsNow() {
    create(false, null);
    put("ambient", workspace);
    UUID manual = put("manual", workspace);
    await().until(() -> received().size() == 2);
    change(MANUAL);

    roles.call("POST", path() + "/replays", new JsonObject().put("from_position", 1));

    await().until(() -> listed("replay").size() == 1);
    assertThat(listed("replay")).containsExactly(manual);
    await().until(() -> replay().getString("state").equals("published"));
    assertThat(replay().getLong("published")).isEqualTo(1);
  }

  private JsonObject replay() {
    return roles
        .call("GET", path() + "/replays", new JsonObject())
        .getJsonArray("replays")
        .getJsonObject(0);
  }

  private UUID put(String mode, UUID device) {
    UUID id = UUID.randomUUID();
    roles.call(
        "PUT",
        "/captures/" + id,
        BothRoles.capture(workspace).put("mode", mode).put("device", device(device)));
    return id;
  }

  private void rename(UUID id, String mode) {
    UUID device = mode.equals("manual") ? OTHER_DEVICE : workspace;
    roles.call(
        "PUT",
        "/captures/" + id,
        BothRoles.capture(workspace)
            .put("mode", mode)
            .put("device", device(device))
            .put("title", "Renamed"));
  }

  private void erase(UUID id) {
    roles.call("DELETE", "/captures/" + id, new JsonObject().put("reason", "test"));
  }

  private void create(boolean fullHistory, @Nullable JsonObject filter) {
    endpoint =
        roles
            .call(
                "POST",
                "/workspaces/" + workspace + "/endpoints",
                new JsonObject()
                    .put("url", inbox.url(receiver))
                    .put("full_history", fullHistory)
                    .put(
                        "events",
                        new JsonArray(
                            List.of("capture.processed", "capture.updated", "capture.erased")))
                    .put("filter", filter))
            .getString("id");
  }

  private void change(@Nullable JsonObject filter) {
    roles.call("PATCH", path(), new JsonObject().put("filter", filter));
  }

  private String path() {
    return "/workspaces/" + workspace + "/endpoints/" + endpoint;
  }

  private void awaitReceived(UUID... captures) {
    Set<String> all =
        Arrays.stream(captures).map(UUID::toString).collect(Collectors.toUnmodifiableSet());
    await().until(() -> received().containsAll(all));
    assertThat(received()).isEqualTo(all);
  }

  private Set<String> received() {
    return inbox.captures(receiver);
  }

  private void assertVerified(int delivered) {
    JsonObject verified = roles.verification(workspace);
    assertThat(verified.getLong("delivered")).as(verified.encode()).isEqualTo(delivered);
    for (String none : List.of("missing", "pending", "forgotten", "exhausted", "skipped")) {
      assertThat(verified.getLong(none)).as(none).isZero();
    }
  }

  /** The captures of first deliveries. */
  private List<UUID> listed() {
    return deliveries(Set.of("live", "backfill"));
  }

  private List<UUID> listed(String origin) {
    return deliveries(Set.of(origin));
  }

  private List<UUID> deliveries(Set<String> origins) {
    return roles
        .call("GET", "/workspaces/" + workspace + "/deliveries", new JsonObject())
        .getJsonArray("deliveries")
        .stream()
        .map(JsonObject.class::cast)
        .filter(each -> origins.contains(each.getString("origin")))
        .map(each -> UUID.fromString(each.getString("capture_id")))
        .toList();
  }

  private static JsonObject device(UUID id) {
    return new JsonObject().put("id", id.toString());
  }

  private static JsonObject filter(String name, String value) {
    return new JsonObject().put(name, new JsonArray().add(value));
  }
}
