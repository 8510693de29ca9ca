package io.egress.api.admin.replays;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LogEntry;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No dispatcher runs here: what is started waits. */
@Execution(ExecutionMode.CONCURRENT)
class ReplaysApiTest {
  private static final LogDays DAYS = new LogDays(Clock.systemUTC(), Duration.ofDays(35));

  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private final String path = "/internal/v1/workspaces/" + workspace;
  private String endpoint;

  @BeforeAll
  static void start() {
    service = Service.start();
    new LogMaintenance(service.database, DAYS).run();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeEach
  void endpoint() {
    endpoint = endpoint(new JsonObject());
  }

  @Test
  void startsFromAPosition() {
    captures(5);

    JsonObject replay = start(new JsonObject().put("from_position", 2).put("to_position", 4));

    assertThat(replay.getLong("from_position")).isEqualTo(2);
    assertThat(replay.getLong("next_position")).isEqualTo(2);
    assertThat(replay.getLong("to_position")).isEqualTo(4);
    assertThat(replay.getString("origin")).isEqualTo("replay");
    assertThat(replay.getString("state")).isEqualTo("running");
    assertThat(replay.getString("only")).isNull();
    JsonObject shown = get(path + "/replays/" + replay.getString("id"));
    assertThat(shown.getJsonObject("deliveries"))
        .isEqualTo(
            new JsonObject()
                .put("pending", 0)
                .put("delivered", 0)
                .put("exhausted", 0)
                .put("skipped", 0));
  }

  @Test
  void endsAtTheCurrentHeadOfTheStream() {
    captures(3);
    JsonObject replay = start(new JsonObject().put("from_position", 1).put("to_position", 900));
    captures(1);

    assertThat(replay.getLong("to_position")).isEqualTo(3);
  }

  @Test
  void startsAndEndsAtInstants() {
    captures(2);
    String from = Instant.now().toString();
    captures(3);
    String to = Instant.now().toString();
    captures(1);

    JsonObject replay = start(new JsonObject().put("from", from).put("to", to));

    assertThat(replay.getLong("from_position")).isEqualTo(3);
    assertThat(replay.getLong("to_position")).isEqualTo(5);
  }

  @Test
  void showsThatItWaitsForAPausedEndpoint() {
    captures(1);
    String state = path + "/endpoints/" + endpoint;
    service.internal("PATCH", state, new JsonObject().put("paused", true));

    JsonObject replay = start(new JsonObject().put("from_position", 1));
    assertThat(replay.getString("state")).isEqualTo("running");
    assertThat(replay.getBoolean("endpoint_paused")).isTrue();

    service.internal("PATCH", state, new JsonObject().put("paused", false));
    assertThat(get(path + "/replays/" + replay.getString("id")).getBoolean("endpoint_paused"))
        .isFalse();
  }

  @Test
  void anEmptyReplayIsFinishedAtOnce() {
    JsonObject replay = start(new JsonObject().put("from_position", 1));

    assertThat(replay.getString("state")).isEqualTo("published");
    assertThat(replay.getLong("published")).isZero();
  }

  @Test
  void aRangeThatCanHaveNothingIsRefused() {
    captures(2);
    start(new JsonObject().put("from_position", 3));

    assertThat(refused(409, new JsonObject().put("from_position", 99_999)))
        .contains("position 99999 is after the last one, 2");
    assertThat(refused(400, new JsonObject().put("from_position", 2).put("to_position", 1)))
        .contains("to_position: must not be less than from_position");
    JsonObject backwards =
        new JsonObject().put("from", "2026-01-02T00:00:00Z").put("to", "2026-01-01T00:00:00Z");
    assertThat(refused(400, backwards)).contains("to: must be after from");
    assertThat(get(path + "/endpoints/" + endpoint + "/replays").getJsonArray("replays"))
        .as("replays")
        .hasSize(1);
  }

  private String refused(int status, JsonObject body) {
    HttpResponse<String> answer =
        service.internal("POST", path + "/endpoints/" + endpoint + "/replays", body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return answer.body();
  }

  @Test
  void canBeLimitedToUndeliveredCaptures() {
    captures(2);

    JsonObject replay = start(new JsonObject().put("only", "undelivered"));

    assertThat(replay.getString("only")).isEqualTo("undelivered");
    assertThat(replay.getLong("from_position")).isEqualTo(1);
  }

  @Test
  void listsTheNewestFirstAndPages() {
    captures(1);
    String full = endpoint(new JsonObject().put("full_history", true));
    List<String> started = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      started.add(0, start(full, new JsonObject().put("from_position", 1)).getString("id"));
    }
    started.add(full);

    List<String> listed = new ArrayList<>();
    String after = "";
    while (true) {
      JsonObject page = get(path + "/endpoints/" + full + "/replays?limit=2" + after);
      page.getJsonArray("replays").forEach(each -> listed.add(((JsonObject) each).getString("id")));
      if (!page.getJsonObject("pageInfo").getBoolean("hasNextPage")) {
        break;
      }
      after = "&after=" + page.getJsonObject("pageInfo").getString("endCursor");
    }
    assertThat(listed).isEqualTo(started);
    JsonObject history = get(path + "/replays/" + full);
    assertThat(history.getString("origin")).isEqualTo("backfill");
    assertThat(history.getValue("deliveries")).isNull();
  }

  @Test
  void countsItsDeliveriesByOutcome() {
    List<UUID> captures = captures(6);
    JsonObject replay = start(new JsonObject().put("from_position", 1));
    UUID id = UUID.fromString(replay.getString("id"));
    DeliveryState[] states = {
      DeliveryState.PENDING,
      DeliveryState.PENDING,
      DeliveryState.DELIVERED,
      DeliveryState.EXHAUSTED,
      DeliveryState.SKIPPED
    };
    List<LogEntry> entries = new ArrayList<>();
    for (int i = 0; i < states.length; i++) {
      Delivery delivery =
          Delivery.replayed(
              id,
              UUID.fromString(endpoint),
              captures.get(i),
              i + 1,
              Delivery.Origin.REPLAY,
              Instant.parse(replay.getString("created_at")));
      entries.add(new LogEntry(delivery, states[i], null, null));
    }
    Service.await(new DeliveryLog(service.database, DAYS).write(entries));
    service.query("update backfills set published = 5, next_position = 6 where id = '" + id + "'");

    JsonObject shown = get(path + "/replays/" + id);

    assertThat(shown.getJsonObject("deliveries"))
        .isEqualTo(
            new JsonObject()
                .put("pending", 2)
                .put("delivered", 1)
                .put("exhausted", 1)
                .put("skipped", 1));
    assertThat(shown.getLong("next_position")).isEqualTo(6);
  }

  @Test
  void cancels() {
    captures(1);
    String id = start(new JsonObject().put("from_position", 1)).getString("id");

    assertThat(service.internal("DELETE", path + "/replays/" + id, "").statusCode()).isEqualTo(204);
    assertThat(service.internal("DELETE", path + "/replays/" + id, "").statusCode())
        .as("repeated")
        .isEqualTo(204);

    JsonObject shown = get(path + "/replays/" + id);
    assertThat(shown.getString("state")).isEqualTo("cancelled");
    assertThat(shown.getString("cancelled_at")).isEqualTo(shown.getString("finished_at"));
  }

  @Test
  void doesNotCancelAFullHistory() {
    String full = endpoint(new JsonObject().put("full_history", true));

    assertThat(service.internal("DELETE", path + "/replays/" + full, "").statusCode())
        .isEqualTo(409);
  }

  @Test
  void redeliversOneCapture() {
    UUID capture = captures(3).get(1);
    UUID first = DeliveryId.of(UUID.fromString(endpoint), capture);

    HttpResponse<String> answer =
        service.internal("POST", path + "/deliveries/" + first + "/redeliver", "");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    JsonObject redelivery = new JsonObject(answer.body());
    UUID replay = UUID.fromString(redelivery.getString("replay_id"));
    assertThat(redelivery.getString("id"))
        .isEqualTo(DeliveryId.inReplay(replay, capture).toString());
    assertThat(redelivery.getString("redelivery_of")).isEqualTo(first.toString());
    JsonObject shown = get(path + "/replays/" + replay);
    assertThat(shown.getString("origin")).isEqualTo("redelivery");
    assertThat(shown.getLong("from_position")).isEqualTo(2);
    assertThat(shown.getLong("to_position")).isEqualTo(2);
  }

  @Test
  void isAudited() {
    UUID capture = captures(1).get(0);
    String replay = start(new JsonObject().put("from_position", 1)).getString("id");
    status("DELETE", path + "/replays/" + replay);
    status("DELETE", path + "/replays/" + replay);
    UUID delivery = DeliveryId.of(UUID.fromString(endpoint), capture);
    HttpResponse<String> redelivered =
        Service.send(
            HttpRequest.newBuilder(
                    URI.create(
                        service.internalUrl(path + "/deliveries/" + delivery + "/redeliver")))
                .header("authorization", "Bearer " + Service.TOKEN)
                .header("x-egress-actor", "Ada")
                .POST(BodyPublishers.noBody()));
    String redelivery = new JsonObject(redelivered.body()).getString("replay_id");

    List<JsonObject> entries =
        get(path + "/audit").getJsonArray("entries").stream()
            .map(JsonObject.class::cast)
            .filter(entry -> !entry.getString("kind").equals("endpoint"))
            .toList();
    assertThat(entries)
        .extracting(entry -> entry.getString("action") + " " + entry.getString("thing_id"))
        .containsExactly(
            "redelivery.started " + redelivery,
            "replay.cancelled " + replay,
            "replay.started " + replay);
    assertThat(entries.get(0).getString("actor")).isEqualTo("Ada");
    assertThat(get(path + "/replays/" + redelivery).getString("created_by")).isEqualTo("Ada");
  }

  @Test
  void aRedeliveryIsShownBeforeItIsPublished() {
    UUID delivery = DeliveryId.of(UUID.fromString(endpoint), captures(1).get(0));
    JsonObject redelivered =
        new JsonObject(
            service.internal("POST", path + "/deliveries/" + delivery + "/redeliver", "").body());

    JsonObject shown = get(path + "/deliveries/" + redelivered.getString("id"));

    assertThat(shown.getString("state")).isEqualTo("pending");
    assertThat(shown.getString("origin")).isEqualTo("redelivery");
    assertThat(shown.getString("replay_id")).isEqualTo(redelivered.getString("replay_id"));
    assertThat(shown.getString("redelivery_of")).isEqualTo(delivery.toString());
  }

  @Test
  void sendsWhatAllEndpointsHaveMissed() {
    String paused = endpoint(new JsonObject());
    String fine = endpoint(new JsonObject());
    UUID capture = captures(1).get(0);
    for (String id : List.of(endpoint, paused)) {
      service.query(
          """
          insert into deliveries (day, id, endpoint_id, capture_id, position, origin, state, attempts, owed_at)
          values (current_date, '%s', '%s', '%s', 1, 'live', 'exhausted', 1, now())
          """
              .formatted(DeliveryId.of(UUID.fromString(id), capture), id, capture));
    }
    service.internal("PATCH", path + "/endpoints/" + paused, new JsonObject().put("paused", true));

    JsonObject undelivered = new JsonObject().put("only", "undelivered");
    JsonObject later = undelivered.copy().put("from", Instant.now().plusSeconds(60));
    assertThat(service.internal("POST", path + "/replays", later).body())
        .as("it missed nothing then")
        .isEqualTo("{\"replays\":[]}");
    undelivered
        .put("from", Instant.now().minusSeconds(600))
        .put("to", Instant.now().plusSeconds(60));

    HttpResponse<String> answer = service.internal("POST", path + "/replays", undelivered);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    assertThat(new JsonObject(answer.body()).getJsonArray("replays"))
        .extracting(each -> ((JsonObject) each).getString("endpoint_id"))
        .containsExactly(endpoint);
    JsonObject listed =
        get(path + "/endpoints/" + endpoint + "/replays").getJsonArray("replays").getJsonObject(0);
    assertThat(listed.getString("only")).isEqualTo("undelivered");
    assertThat(listed.getJsonObject("deliveries").getLong("exhausted")).isZero();
    assertThat(get(path + "/endpoints/" + fine + "/replays").getJsonArray("replays")).isEmpty();
    assertThat(get(path + "/audit?action=replay.started").getJsonArray("entries"))
        .extracting(each -> ((JsonObject) each).getString("thing_id"))
        .containsExactly(listed.getString("id"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"only\":null}",
        "{\"only\":\"all\"}",
        "{\"only\":5}",
        "[]",
        "{\"only\":\"undelivered\",\"from\":\"x\"}"
      })
  void aReplayToAllEndpointsSendsNothingElse(String body) {
    assertThat(service.internal("POST", path + "/replays", body).statusCode()).isEqualTo(400);
  }

  @Test
  void limitsUnfinishedReplays() {
    captures(1);
    service.query(
        """
        insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position)
        select gen_random_uuid(), '%s', 'redelivery', 1, 1, 1 from generate_series(1, 100)
        """
            .formatted(endpoint));

    assertThat(
            service
                .internal(
                    "POST",
                    path + "/endpoints/" + endpoint + "/replays",
                    new JsonObject().put("from_position", 1))
                .statusCode())
        .isEqualTo(409);
  }

  @Test
  void isScopedToTheWorkspace() {
    UUID capture = captures(1).get(0);
    String id = start(new JsonObject().put("from_position", 1)).getString("id");
    String other = "/internal/v1/workspaces/" + UUID.randomUUID();
    UUID delivery = DeliveryId.of(UUID.fromString(endpoint), capture);

    assertThat(status("GET", other + "/replays/" + id)).isEqualTo(404);
    assertThat(status("DELETE", other + "/replays/" + id)).isEqualTo(404);
    assertThat(status("GET", other + "/endpoints/" + endpoint + "/replays")).isEqualTo(404);
    assertThat(status("POST", other + "/deliveries/" + delivery + "/redeliver")).isEqualTo(404);
    assertThat(
            service
                .internal(
                    "POST",
                    other + "/endpoints/" + endpoint + "/replays",
                    new JsonObject().put("from_position", 1))
                .statusCode())
        .isEqualTo(404);
    assertThat(get(path + "/replays/" + id).getString("state")).isEqualTo("running");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "{\"from_position\":0}",
        "{\"from_position\":\"1\"}",
        "{\"from_position\":1.5}",
        "{\"from_position\":1,\"from\":\"2026-01-31T09:30:00Z\"}",
        "{\"from\":\"yesterday\"}",
        "{\"from_position\":1,\"to_position\":2,\"to\":\"2026-01-31T09:30:00Z\"}",
        "{\"from_position\":1,\"only\":\"failed\"}"
      })
  void refusesInvalidRequests(String body) {
    assertThat(
            service
                .internal("POST", path + "/endpoints/" + endpoint + "/replays", body)
                .statusCode())
        .isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/replays/7", "/endpoints/7/replays"})
  void refusesAMalformedId(String call) {
    assertThat(status("GET", path + call)).isEqualTo(400);
  }

  private JsonObject start(JsonObject body) {
    return start(endpoint, body);
  }

  private JsonObject start(String endpointId, JsonObject body) {
    HttpResponse<String> answer =
        service.internal("POST", path + "/endpoints/" + endpointId + "/replays", body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    return new JsonObject(answer.body());
  }

  private String endpoint(JsonObject body) {
    return new JsonObject(
            service
                .internal(
                    "POST",
                    path + "/endpoints",
                    body.copy().put("url", "https://receiver.example/hook"))
                .body())
        .getString("id");
  }

  /** In the stream when this returns. */
  private List<UUID> captures(int count) {
    return service.enter(workspace, count);
  }

  private static int status(String method, String call) {
    return service.internal(method, call, "").statusCode();
  }

  private static JsonObject get(String call) {
    HttpResponse<String> answer = service.internal("GET", call, "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }
}
