package io.egress.api.admin.deliveries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LogEntry;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.send.Exchanged;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No dispatcher runs here: outcomes are written into the log as one would. */
@Execution(ExecutionMode.CONCURRENT)
class DeliveriesApiTest {
  private static final LogDays DAYS = new LogDays(Clock.systemUTC(), Duration.ofDays(35));

  private static Service service;
  private static DeliveryLog log;

  private final UUID workspace = UUID.randomUUID();
  private String path;

  @BeforeAll
  static void start() {
    service = Service.start();
    new LogMaintenance(service.database, DAYS).run();
    log = new DeliveryLog(service.database, DAYS);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeEach
  void path() {
    path = "/internal/v1/workspaces/" + workspace;
  }

  @Test
  void listsDeliveriesThatHaveNoOutcomeYet() {
    captures(2);
    UUID endpoint = endpoint(false);
    List<UUID> owed = captures(3);

    JsonObject page = get(path + "/endpoints/" + endpoint + "/deliveries");

    List<JsonObject> deliveries = deliveries(page);
    assertThat(deliveries).extracting(each -> each.getLong("position")).containsExactly(5L, 4L, 3L);
    assertThat(deliveries)
        .extracting(each -> each.getString("id"))
        .containsExactly(
            DeliveryId.of(endpoint, owed.get(2)).toString(),
            DeliveryId.of(endpoint, owed.get(1)).toString(),
            DeliveryId.of(endpoint, owed.get(0)).toString());
    assertThat(deliveries)
        .allMatch(each -> each.getString("state").equals("pending"))
        .allMatch(each -> each.getInteger("attempts") == 0)
        .allMatch(each -> each.getString("origin").equals("live"));
    assertThat(page.getJsonObject("pageInfo"))
        .isEqualTo(new JsonObject().put("hasNextPage", false).putNull("endCursor"));
  }

  @Test
  void listsTheHistoryOfAFullHistoryEndpoint() {
    captures(2);
    UUID endpoint = endpoint(true);
    captures(1);

    assertThat(deliveries(get(path + "/endpoints/" + endpoint + "/deliveries")))
        .extracting(each -> each.getString("origin"))
        .containsExactly("live", "backfill", "backfill");
  }

  @Test
  void filtersByOutcomeAndTitle() {
    UUID endpoint = endpoint(false);
    List<UUID> ids = captures(3);
    service.query("update captures set title = 'Budget 100% (Q3)' where id = '" + ids.get(0) + "'");
    service.query("update captures set title = 'ÜBERBLICK' where id = '" + ids.get(1) + "'");
    write(
        delivery(endpoint, ids.get(0)),
        DeliveryState.EXHAUSTED,
        attempt("timeout", null, empty()),
        null);
    write(
        delivery(endpoint, ids.get(1)),
        DeliveryState.PENDING,
        attempt("timeout", null, empty()),
        null);
    write(
        delivery(endpoint, ids.get(2)),
        DeliveryState.DELIVERED,
        attempt("delivered", 200, empty()),
        null);

    assertFound("outcome=timeout", ids.get(1), ids.get(0));
    assertFound("outcome=timeout&state=exhausted", ids.get(0));
    assertFound("outcome=delivered", ids.get(2));
    assertFound("outcome=dns");
    assertFound("title=budget%20100%25", ids.get(0));
    assertFound("title=%C3%BCberblick", ids.get(1));
    assertFound("title=%25", ids.get(0));
    assertFound("title=_");
    assertFound("title=budget&outcome=delivered");
    assertThat(all("/deliveries?outcome=timeout&", 1)).hasSize(2);
  }

  @Test
  void listsNamesAndTheLastAnswerBesideIds() {
    UUID endpoint = endpoint(false);
    List<UUID> ids = captures(3);
    service.query("update captures set title = 'Budget' where id = '" + ids.get(0) + "'");
    write(
        delivery(endpoint, ids.get(0)),
        DeliveryState.PENDING,
        attempt("status", 503, empty()),
        null);
    write(
        delivery(endpoint, ids.get(1)),
        DeliveryState.DELIVERED,
        attempt("delivered", 204, empty()),
        null);

    List<JsonObject> listed = deliveries(get(path + "/deliveries"));
    JsonObject untried = listed.get(0);
    JsonObject delivered = listed.get(1);
    JsonObject failed = listed.get(2);

    assertThat(failed.getString("title")).isEqualTo("Budget");
    assertThat(failed.getInteger("last_status")).isEqualTo(503);
    assertThat(failed.getString("last_failure")).isEqualTo("answered 503 Service Unavailable");
    assertThat(delivered.getInteger("last_status")).isEqualTo(204);
    assertThat(delivered.getString("last_failure")).isNull();
    assertThat(untried.getInteger("last_status")).isNull();
    assertThat(untried.getString("last_failure")).isNull();
    assertThat(listed)
        .extracting(each -> each.getString("endpoint_url"))
        .containsOnly("https://receiver.example/hook");
    assertThat(listed).allMatch(each -> each.containsKey("endpoint_description"));
  }

  private void assertFound(String query, UUID... captureIds) {
    assertThat(deliveries(get(path + "/deliveries?" + query)))
        .as(query)
        .extracting(each -> UUID.fromString(each.getString("capture_id")))
        .containsExactly(captureIds);
  }

  /** Every filter, page by page, finds what a look at the whole list would. */
  @Test
  void filtersAndPages() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    captures(7);
    List<UUID> endpoints =
        IntStream.range(0, 3).mapToObj(_ -> endpoint(random.nextBoolean())).toList();
    List<UUID> captures = captures(20);
    String from = Instant.now().toString();
    captures.addAll(captures(20));
    String to = Instant.now().toString();
    captures.addAll(captures(10));
    for (UUID capture : captures) {
      for (UUID endpoint : endpoints) {
        write(endpoint, capture, random);
      }
    }
    int first = all("/deliveries?", 100).size();
    assertThat(first).as("seed " + seed).isBetween(150, 171);
    for (UUID endpoint : endpoints) {
      writeReplay(endpoint, captures, random);
    }
    writeReplay(endpoints.get(0), captures, random);
    List<JsonObject> all = all("/deliveries?", 100);
    assertThat(all).as("seed " + seed).hasSize(first + 4 * captures.size());
    assertThat(all).extracting(each -> each.getString("id")).doesNotHaveDuplicates();

    for (DeliveryState state : DeliveryState.values()) {
      check("state=" + state.word(), 1 + random.nextInt(9), all, in("state", state.word()));
    }
    check(
        "outcome=timeout",
        1 + random.nextInt(9),
        all,
        each -> "timeout".equals(each.getString("last_outcome")));
    UUID one = captures.get(random.nextInt(captures.size()));
    check("capture_id=" + one, 2, all, in("capture_id", one.toString()));
    check("from=" + from, 7, all, each -> each.getLong("position") > 27);
    check("to=" + to, 7, all, each -> each.getLong("position") <= 47);
    check(
        "state=exhausted&from=" + from + "&to=" + to,
        3,
        all,
        in("state", "exhausted")
            .and(each -> each.getLong("position") > 27 && each.getLong("position") <= 47));
    for (UUID endpoint : endpoints) {
      assertThat(all("/endpoints/" + endpoint + "/deliveries?", 4))
          .isEqualTo(all.stream().filter(in("endpoint_id", endpoint.toString())).toList());
      assertThat(all("/endpoints/" + endpoint + "/deliveries?state=pending&", 4))
          .isEqualTo(
              all.stream()
                  .filter(in("endpoint_id", endpoint.toString()).and(in("state", "pending")))
                  .toList());
    }
  }

  @Test
  void pagesStayConsistentWhileCapturesArrive() {
    endpoint(false);
    endpoint(false);
    captures(9);
    List<JsonObject> before = all("/deliveries?", 100);

    List<JsonObject> paged = new ArrayList<>();
    String after = "";
    while (true) {
      JsonObject page = get(path + "/deliveries?limit=3" + after);
      paged.addAll(deliveries(page));
      captures(1);
      if (!page.getJsonObject("pageInfo").getBoolean("hasNextPage")) {
        break;
      }
      after = "&after=" + page.getJsonObject("pageInfo").getString("endCursor");
    }

    assertThat(paged).isEqualTo(before);
  }

  @Test
  void showsADeliveryWithItsAttempts() {
    UUID endpoint = endpoint(false);
    UUID capture = captures(1).get(0);
    UUID id = DeliveryId.of(endpoint, capture);
    JsonObject unattempted = get(path + "/deliveries/" + id);
    assertThat(unattempted.getJsonArray("attempt_log")).isEmpty();
    assertThat(unattempted.getString("capture_id")).isEqualTo(capture.toString());

    Instant next = Instant.parse("2030-01-01T00:00:00Z");
    Delivery delivery = delivery(endpoint, capture);
    write(delivery, DeliveryState.PENDING, attempt("status", 500, Buffer.buffer("bröken")), next);
    write(
        delivery.next(next),
        DeliveryState.DELIVERED,
        attempt("delivered", 200, Buffer.buffer(new byte[] {0, (byte) 0xff})),
        null);

    JsonObject shown = get(path + "/deliveries/" + id);
    assertThat(shown.getString("state")).isEqualTo("delivered");
    assertThat(shown.getInteger("attempts")).isEqualTo(2);
    List<JsonObject> attempts =
        shown.getJsonArray("attempt_log").stream().map(JsonObject.class::cast).toList();
    assertThat(attempts).extracting(each -> each.getInteger("attempt")).containsExactly(1, 2);
    assertThat(attempts).extracting(each -> each.getInteger("status")).containsExactly(500, 200);
    assertThat(attempts)
        .extracting(each -> each.getString("answer"))
        .containsExactly("bröken", null);
    assertThat(attempts.get(1).getString("answer_base64")).isEqualTo("AP8=");
    assertThat(attempts.get(0).getString("answer_base64")).isNull();
    assertThat(attempts.get(0).getInteger("duration_ms")).isEqualTo(7);
  }

  @Test
  void showsNothingOfAnotherWorkspace() {
    UUID endpoint = endpoint(false);
    UUID capture = captures(1).get(0);
    write(
        delivery(endpoint, capture), DeliveryState.EXHAUSTED, attempt("dns", null, empty()), null);
    String other = "/internal/v1/workspaces/" + UUID.randomUUID();

    assertThat(
            service
                .internal("GET", other + "/endpoints/" + endpoint + "/deliveries", "")
                .statusCode())
        .isEqualTo(404);
    assertThat(
            service
                .internal("GET", other + "/deliveries/" + DeliveryId.of(endpoint, capture), "")
                .statusCode())
        .isEqualTo(404);
    service.enter(UUID.fromString(other.substring(other.lastIndexOf('/') + 1)), 1);
    assertThat(deliveries(get(other + "/deliveries?capture_id=" + capture))).isEmpty();
    assertThat(deliveries(get(other + "/deliveries?state=exhausted"))).isEmpty();
    assertThat(deliveries(get(path + "/deliveries?state=exhausted"))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "state=lost",
        "outcome=lost",
        "title=",
        "title=%20",
        "state=",
        "state=pending&state=pending",
        "capture_id=7",
        "from=yesterday",
        "to=2026-01-01",
        "limit=0",
        "limit=101",
        "limit=1.5",
        "after=x",
        "after="
      })
  void refusesInvalidRequests(String query) {
    HttpResponse<String> answer = service.internal("GET", path + "/deliveries?" + query, "");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains(query.substring(0, query.indexOf('=')) + " must be one");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/deliveries/7", "/endpoints/7/deliveries"})
  void refusesAMalformedId(String call) {
    assertThat(service.internal("GET", path + call, "").statusCode()).isEqualTo(400);
  }

  private void check(String filter, int limit, List<JsonObject> all, Predicate<JsonObject> wanted) {
    assertThat(all("/deliveries?" + filter + "&", limit))
        .as(filter)
        .isEqualTo(all.stream().filter(wanted).toList());
  }

  private static Predicate<JsonObject> in(String field, String value) {
    return each -> each.getString(field).equals(value);
  }

  private List<JsonObject> all(String call, int limit) {
    List<JsonObject> all = new ArrayList<>();
    String next = path + call + "limit=" + limit;
    while (true) {
      JsonObject page = get(next);
      assertThat(deliveries(page)).hasSizeLessThanOrEqualTo(limit);
      all.addAll(deliveries(page));
      if (!page.getJsonObject("pageInfo").getBoolean("hasNextPage")) {
        return all;
      }
      next =
          path
              + call
              + "limit="
              + limit
              + "&after="
              + page.getJsonObject("pageInfo").getString("endCursor");
    }
  }

  private UUID endpoint(boolean fullHistory) {
    HttpResponse<String> answer =
        service.internal(
            "POST",
            path + "/endpoints",
            new JsonObject()
                .put("url", "https://receiver.example/hook")
                .put("full_history", fullHistory));
    return UUID.fromString(new JsonObject(answer.body()).getString("id"));
  }

  /** In the stream when this returns. */
  private List<UUID> captures(int count) {
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      UUID id = UUID.randomUUID();
      ids.add(id);
      service.put(id, Service.capture(workspace));
    }
    await().until(() -> stream(ids.get(count - 1)).isPresent());
    return ids;
  }

  private record InStream(long position, Instant enteredAt) {}

  private static Optional<InStream> stream(UUID capture) {
    return StreamSupport.stream(
            service
                .query(
                    "select position, entered_at from stream where capture_id = '%s'"
                        .formatted(capture))
                .spliterator(),
            false)
        .map(row ->
            new InStream(row.getLong("position"), row.getOffsetDateTime("entered_at").toInstant()))
        .findFirst();
  }

  private static Delivery delivery(UUID endpoint, UUID capture) {
    InStream row = stream(capture).orElseThrow();
    return Delivery.first(
        DeliveryId.of(endpoint, capture),
        endpoint,
        capture,
        row.position(),
        Delivery.Origin.LIVE,
        row.enteredAt());
  }

  /** As a dispatcher would publish it, with some outcomes. */
  private void writeReplay(UUID endpoint, List<UUID> captures, Random random) {
    JsonObject replay =
        new JsonObject(
            service
                .internal(
                    "POST",
                    path + "/endpoints/" + endpoint + "/replays",
                    new JsonObject().put("from_position", 1))
                .body());
    UUID id = UUID.fromString(replay.getString("id"));
    for (UUID capture : captures) {
      Delivery delivery =
          Delivery.replayed(
              id,
              endpoint,
              capture,
              stream(capture).orElseThrow().position(),
              Delivery.Origin.REPLAY,
              Instant.parse(replay.getString("created_at")));
      write(delivery, DeliveryState.PENDING, null, null);
      if (random.nextBoolean()) {
        DeliveryState state =
            random.nextBoolean() ? DeliveryState.DELIVERED : DeliveryState.SKIPPED;
        write(delivery, state, null, null);
      }
    }
  }

  private static void write(UUID endpoint, UUID capture, Random random) {
    Map<Integer, DeliveryState> states = new HashMap<>();
    states.put(0, DeliveryState.PENDING);
    states.put(1, DeliveryState.EXHAUSTED);
    states.put(2, DeliveryState.SKIPPED);
    states.put(3, DeliveryState.DELIVERED);
    states.put(4, DeliveryState.DELIVERED);
    DeliveryState state = states.get(random.nextInt(6));
    if (state != null) {
      write(
          delivery(endpoint, capture),
          state,
          state == DeliveryState.SKIPPED ? null : attempt("timeout", null, empty()),
          null);
    }
  }

  private static void write(
      Delivery delivery,
      DeliveryState state,
      @Nullable MadeAttempt attempt,
      @Nullable Instant next) {
    Service.await(log.write(List.of(new LogEntry(delivery, state, attempt, next))));
  }

  private static MadeAttempt attempt(String outcome, @Nullable Integer status, Buffer answer) {
    return new MadeAttempt(
        Instant.now(),
        Duration.ofMillis(7),
        outcome,
        status,
        null,
        null,
        new Exchanged(null, "", answer));
  }

  private static Buffer empty() {
    return Buffer.buffer();
  }

  private static JsonObject get(String call) {
    HttpResponse<String> answer = service.internal("GET", call, "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private static List<JsonObject> deliveries(JsonObject page) {
    return page.getJsonArray("deliveries").stream().map(JsonObject.class::cast).toList();
  }
}
