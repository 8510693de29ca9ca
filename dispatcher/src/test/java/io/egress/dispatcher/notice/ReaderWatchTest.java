package io.egress.dispatcher.notice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Fleet;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Which keys have stopped, and the notices about them. */
@Execution(ExecutionMode.CONCURRENT)
class ReaderWatchTest {
  private final UUID workspace = UUID.randomUUID();
  private final UUID key = UUID.randomUUID();
  private final Fleet fleet = new Fleet(Map.of("EGRESS_PORTAL_URL", "https://egress.example.com"));
  private final ReaderWatch watch =
      new ReaderWatch(fleet.database, new OperatorNotices(true, fleet.settings.api().portal()));

  @BeforeEach
  void mint() {
    fleet.captures(workspace, 3);
    fleet.query(
        """
        insert into api_keys (id, workspace_id, name, hash, last_four, created_at, last_used_at, expect_within_ms)
        values ('%s', '%s', 'warehouse', '\\x00', 'abcd', now() - interval '9 days', now() - interval '27 hours', 26 * 3600000)
        """
            .formatted(key, workspace));
  }

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void aKeyThatDoesNotAskIsToldOnceAndOnceMoreWhenItAsksAgain() {
    watch.look();
    watch.look();

    List<JsonObject> told = told();
    assertThat(told)
        .extracting(notice -> notice.getString("event"))
        .containsExactly("reader.stopped");
    JsonObject data = told.getFirst().getJsonObject("data");
    assertThat(data.getString("key_id")).isEqualTo(key.toString());
    assertThat(data.getString("name")).isEqualTo("warehouse");
    assertThat(data.getString("expect_within")).isEqualTo("26h");
    assertThat(data.getString("page"))
        .isEqualTo("https://egress.example.com/portal/" + workspace + "/keys");
    assertThat(data.getString("stopped_at")).isNotNull();
    assertThat(data.getString("last_used_at")).isLessThan(data.getString("stopped_at"));

    ask();
    watch.look();
    watch.look();

    told = told();
    assertThat(told)
        .extracting(notice -> notice.getString("event"))
        .containsExactly("reader.stopped", "reader.resumed");
    assertThat(told.getLast().getJsonObject("data").getString("stopped_at"))
        .isEqualTo(data.getString("stopped_at"));
    assertThat(fleet.count("api_keys where stopped_at is not null")).isZero();
  }

  @Test
  void thatTwoDispatchersLookMakesNoSecondNotice() {
    ReaderWatch other =
        new ReaderWatch(fleet.database, new OperatorNotices(true, fleet.settings.api().portal()));
    CompletableFuture.allOf(
            CompletableFuture.runAsync(watch::look), CompletableFuture.runAsync(other::look))
        .join();

    assertThat(told()).hasSize(1);
  }

  @Test
  void aKeyThatHasReadEverythingMayRest() {
    read("captures", 3);

    watch.look();
    assertThat(told()).isEmpty();

    fleet.captures(workspace, 1);
    watch.look();
    assertThat(told()).hasSize(1);
  }

  @Test
  void changesAreNewForAKeyThatReadsThem() {
    read("captures", 3);
    change(1);
    watch.look();
    assertThat(told()).as("it never read changes").isEmpty();

    read("changes", 1);
    watch.look();
    assertThat(told()).as("it has read them").isEmpty();

    change(2);
    watch.look();
    assertThat(told()).hasSize(1);
  }

  @Test
  void ofAKeyWithAFilterOnlyWhatItMayReadIsNew() {
    fleet.query(
        "update api_keys set filter = '%s'"
            .formatted(new JsonObject().put("devices", List.of(UUID.randomUUID().toString()))));

    watch.look();

    assertThat(told()).isEmpty();
  }

  @Test
  void nobodyIsToldOfAKeyThatIsNotExpectedToAsk() {
    for (String rest :
        List.of(
            "last_used_at = now() - interval '25 hours'",
            "last_used_at = null, created_at = now() - interval '25 hours'",
            "expect_within_ms = null",
            "expires_at = now() - interval '1 s'")) {
      fleet.query("update api_keys set " + rest);
      watch.look();
      assertThat(told()).as(rest).isEmpty();
      fleet.query(
          "update api_keys set expect_within_ms = 26 * 3600000, last_used_at = now() - interval '26 hours', expires_at = null");
    }
  }

  @Test
  void oneThatExpiresIsSilent() {
    watch.look();
    fleet.query("update api_keys set expires_at = now()");

    watch.look();

    assertThat(told()).hasSize(1);
    assertThat(fleet.count("api_keys where stopped_at is not null")).isZero();
  }

  @Test
  void everyDispatcherLooks() {
    fleet.dispatcher();

    await().until(() -> fleet.count("api_keys where stopped_at is not null") == 1);
    assertThat(fleet.count("operator_notices")).as("no operator wants them").isZero();
  }

  private void ask() {
    fleet.query("update api_keys set last_used_at = now()");
  }

  private void read(String feed, int upTo) {
    fleet.query(
        "update readers set %s = int8multirange(int8range(1, %d, '[]')) where key_id = '%s'"
            .formatted(feed, upTo, key));
  }

  private void change(int number) {
    fleet.query(
        """
        insert into change_heads (workspace_id, number) values ('%s', %d)
        on conflict (workspace_id) do update set number = excluded.number
        """
            .formatted(workspace, number));
  }

  private List<JsonObject> told() {
    List<JsonObject> told = new ArrayList<>();
    for (Row row :
        fleet.query("select event, data from operator_notices order by emitted_at, event desc")) {
      told.add(
          new JsonObject()
              .put("event", row.getString("event"))
              .put("data", row.getJsonObject("data")));
    }
    return told;
  }
}
