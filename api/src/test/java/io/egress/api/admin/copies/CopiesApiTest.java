package io.egress.api.admin.copies;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.admin.deliveries.WrittenOutcomes;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CopiesApiTest {
  private static Service service;

  private UUID workspace;
  private WrittenOutcomes written;

  @BeforeAll
  static void start() {
    service = Service.start();
    new LogMaintenance(service.database, WrittenOutcomes.DAYS).run();
  }

  @BeforeEach
  void freshWorkspace() {
    workspace = UUID.randomUUID();
    written = new WrittenOutcomes(service, workspace);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void saysWhichKeysWereSentACapture() {
    List<UUID> ids = service.enter(workspace, 3);
    String first = mint("first page");
    String lines = mint("all lines");
    String byId = mint("by id");
    String head = mint("only heads");
    mint("never used");
    service.pull("/api/v1/captures?limit=1", first);
    Service.send(request("/api/v1/captures", lines).header("accept", "application/x-ndjson"));
    service.pull("/api/v1/captures/" + ids.get(0), byId);
    Service.send(
        request("/api/v1/captures", head).method("HEAD", HttpRequest.BodyPublishers.noBody()));

    assertThat(sent(ids.get(0)))
        .isEqualTo(
            Map.of(
                "first page", "yes",
                "all lines", "yes",
                "by id", "possibly",
                "only heads", "no",
                "never used", "no"));
    assertThat(sent(ids.get(2)).get("first page")).isEqualTo("no");
    assertThat(sent(ids.get(2)).get("all lines")).isEqualTo("yes");
  }

  @Test
  void saysWhoWasToldOfTheNewestChange() {
    List<UUID> ids = service.enter(workspace, 2);
    String follower = mint("follows changes");
    String reader = mint("reads the stream");
    service.pull("/api/v1/captures", follower);
    service.pull("/api/v1/captures", reader);
    assertThat(key(ids.get(0), "follows changes").getBoolean("told")).isNull();
    service.put(ids.get(0), Service.capture(workspace).put("title", "Corrected"));
    service.pull("/api/v1/changes", follower);
    assertThat(key(ids.get(0), "follows changes").getBoolean("told")).isTrue();

    erase(ids.get(0));

    assertThat(key(ids.get(0), "follows changes").getBoolean("told")).isFalse();
    service.pull("/api/v1/changes", follower);
    JsonObject copies = copies(ids.get(0));
    assertThat(copies.getString("erased_reason")).isEqualTo("a request");
    assertThat(key(ids.get(0), "follows changes").getBoolean("told")).isTrue();
    assertThat(key(ids.get(0), "reads the stream").getBoolean("told")).isFalse();
    assertThat(copies.getLong("untold")).isEqualTo(1);
  }

  /** A failover, or a restored backup, may not have what was entered before. */
  @Test
  void entersAgainWhatTheDatabaseHasLost() {
    UUID id = service.enter(workspace, 3).get(0);
    service.put(id, Service.capture(workspace).put("title", "Corrected"));
    String pages = mint("pages");
    String lines = mint("lines");
    String byId = mint("by id");
    String changes = mint("changes");
    Runnable read =
        () -> {
          service.pull("/api/v1/captures?limit=1", pages);
          Service.send(request("/api/v1/captures", lines).header("accept", "application/x-ndjson"));
          service.pull("/api/v1/captures/" + id, byId);
          service.pull("/api/v1/changes", changes);
        };
    read.run();
    Map<String, String> before = sent(id);
    assertThat(before).doesNotContainValue("no");

    service.query(
        "update readers set captures = '{}', changes = '{}', by_id_since = null where workspace_id = '%s'"
            .formatted(workspace));
    assertThat(sent(id)).as("lost").containsValues("no").doesNotContainValue("yes");
    read.run();

    assertThat(sent(id)).isEqualTo(before);
  }

  /** Whoever reads only changes has got what they showed. */
  @Test
  void aKeyThatReadsChangesMayHaveACapture() {
    List<UUID> ids = service.enter(workspace, 2);
    service.put(ids.get(0), Service.capture(workspace).put("title", "Corrected"));
    service.pull("/api/v1/changes", mint("changes only"));

    assertThat(sent(ids.get(0)).get("changes only")).isEqualTo("possibly");
    assertThat(sent(ids.get(1)).get("changes only")).isEqualTo("no");
  }

  @Test
  void outlivesDeletedKeysAndEndpoints() {
    UUID endpoint = written.endpoint();
    String key = mint("to be deleted");
    UUID id = service.enter(workspace, 1).get(0);
    written.write(endpoint, 0, 1, DeliveryState.DELIVERED);
    service.pull("/api/v1/captures", key);
    UUID keyId = UUID.fromString(key(id, "to be deleted").getString("key_id"));
    String path = "/internal/v1/workspaces/" + workspace;

    service.internal("DELETE", path + "/api-keys/" + keyId, "");
    service.internal("DELETE", path + "/endpoints/" + endpoint, "");

    assertThat(key(id, "to be deleted").getString("sent")).isEqualTo("yes");
    assertThat(key(id, "to be deleted").getString("ended_at")).isNotNull();
    JsonObject at = endpoint(id, endpoint);
    assertThat(at.getString("sent")).isEqualTo("yes");
    assertThat(at.getString("url")).isEqualTo("https://example.com/hook");
    assertThat(at.getString("delivered_at")).isNotNull();
    assertThat(at.getString("deleted_at")).isNotNull();
  }

  @Test
  void anEndpointThatWasOwedACaptureMayHaveIt() {
    UUID endpoint = written.endpoint();
    List<UUID> ids = service.enter(workspace, 3);
    UUID late = written.endpoint();
    written.write(endpoint, 0, 1, DeliveryState.DELIVERED);
    written.write(endpoint, 1, 2, DeliveryState.EXHAUSTED);

    assertThat(endpoint(ids.get(0), endpoint).getString("sent")).isEqualTo("yes");
    assertThat(endpoint(ids.get(1), endpoint).getString("sent")).isEqualTo("possibly");
    assertThat(endpoint(ids.get(2), endpoint).getString("sent")).isEqualTo("possibly");
    assertThat(endpoints(ids.get(0))).doesNotContain(late);
    UUID replay = replay(late, new JsonObject().put("from_position", 1).put("to_position", 2));
    assertThat(endpoints(ids.get(1))).as("it is yet to be published").doesNotContain(late);
    published(late, replay, ids.get(1), 2);
    assertThat(endpoints(ids.get(1))).as("a replay may have sent it").contains(late);
    assertThat(endpoints(ids.get(2))).doesNotContain(late);
    service.query(
        "update backfills set created_at = created_at - interval '400 days' where id = '%s'"
            .formatted(replay));
    assertThat(endpoints(ids.get(0))).as("the log no longer says what it sent").contains(late);
  }

  /** As a dispatcher enters a delivery of a replay into the log before it publishes it. */
  private static void published(UUID endpoint, UUID replay, UUID capture, long position) {
    service.query(
        """
        insert into deliveries (day, id, endpoint_id, capture_id, position, replay_id, origin, state, attempts, owed_at)
        values (current_date, gen_random_uuid(), '%s', '%s', %d, '%s', 'replay', 'pending', 0, now())\
        """
            .formatted(endpoint, capture, position, replay));
  }

  private UUID replay(UUID endpoint, JsonObject range) {
    return UUID.fromString(
        new JsonObject(
                service
                    .internal(
                        "POST",
                        "/internal/v1/workspaces/"
                            + workspace
                            + "/endpoints/"
                            + endpoint
                            + "/replays",
                        range)
                    .body())
            .getString("id"));
  }

  @Test
  void anEndpointThatCannotHaveBeenSentItIsNotListed() {
    UUID paused = written.endpoint();
    UUID deleted = written.endpoint();
    String path = "/internal/v1/workspaces/" + workspace + "/endpoints/";
    service.internal("PATCH", path + paused, new JsonObject().put("paused", true));
    service.internal("DELETE", path + deleted, "");
    UUID id = service.enter(workspace, 1).get(0);
    assertThat(endpoints(id)).as("an attempt may have been under way").contains(paused, deleted);

    service.query(
        """
        update endpoints set paused_at = paused_at - interval '2 minutes', deleted_at = deleted_at - interval '2 minutes'
        where id in ('%s', '%s')\
        """
            .formatted(paused, deleted));
    UUID late = written.endpoint();
    replay(late, new JsonObject().put("from_position", 1).put("only", "undelivered"));

    assertThat(endpoints(id)).as("nor did a replay of what failed choose it").isEmpty();
  }

  @Test
  void anEndpointThatNoAttemptReachedIsToldFromOneThatMayHaveGotIt() {
    UUID endpoint = written.endpoint();
    List<UUID> ids = service.enter(workspace, 3);
    written.write(endpoint, 0, 2, DeliveryState.PENDING);
    service.query(
        "update attempts set signature = 't=1,v1=00' where delivery_id = '%s'"
            .formatted(DeliveryId.of(endpoint, ids.get(1))));

    assertThat(endpoint(ids.get(0), endpoint).getBoolean("unreached")).isTrue();
    assertThat(endpoint(ids.get(0), endpoint).getString("sent")).isEqualTo("possibly");
    assertThat(endpoint(ids.get(1), endpoint).getBoolean("unreached")).isFalse();
    assertThat(endpoint(ids.get(2), endpoint).getBoolean("unreached")).as("no attempt").isFalse();
  }

  @Test
  void outlivesTheDeliveryLog() {
    UUID endpoint = written.endpoint();
    List<UUID> ids = service.enter(workspace, 3);
    written.write(endpoint, 0, 2, DeliveryState.DELIVERED);
    written.write(endpoint, 2, 3, DeliveryState.EXHAUSTED);
    new LogMaintenance(service.database, WrittenOutcomes.DAYS)
        .run(LocalDate.now(ZoneOffset.UTC).plusDays(40));
    try {
      JsonObject at = endpoint(ids.get(1), endpoint);
      assertThat(at.getString("sent")).isEqualTo("yes");
      assertThat(at.getString("delivered_at")).isNull();
      assertThat(at.getString("day")).isNotNull();
      assertThat(endpoint(ids.get(2), endpoint).getString("sent")).isEqualTo("possibly");
    } finally {
      new LogMaintenance(service.database, WrittenOutcomes.DAYS).run();
    }
  }

  /** Receipts have no revisions, but days. */
  @Test
  void whoGotACaptureAfterItsChangeWasToldOfIt() {
    UUID endpoint = written.endpoint();
    List<UUID> ids = service.enter(workspace, 2);
    ids.forEach(id -> service.put(id, Service.capture(workspace).put("title", "Corrected")));
    service.query(
        "update changes set changed_at = now() - interval '50 days' where workspace_id = '%s'"
            .formatted(workspace));
    service.query("alter table stream disable trigger stream_is_insert_only");
    service.query(
        "update stream set entered_at = now() - interval '60 days' where workspace_id = '%s'"
            .formatted(workspace));
    service.query("alter table stream enable trigger stream_is_insert_only");
    for (String receipt :
        List.of("55, '{[1,3)}', '{}'", "50, '{}', '{[1,3)}'", "45, '{[1,2)}', '{}'")) {
      service.query(
          "insert into receipts (endpoint_id, erased, day, delivered, updated)"
              + " select '%s', '{}', (now() at time zone 'UTC')::date - %s"
                  .formatted(endpoint, receipt));
    }

    assertThat(endpoint(ids.get(0), endpoint).getBoolean("told")).isTrue();
    assertThat(endpoint(ids.get(1), endpoint).getBoolean("told"))
        .as("that of the day of the change may have been an earlier one")
        .isFalse();
  }

  /** Three hundred days of an endpoint that accepted every third capture, as one with a filter. */
  @Test
  void unpacksOnlyReceiptsThatMayHaveTheCapture() {
    UUID endpoint = written.endpoint();
    service.enter(workspace, 1);
    service.query(
        """
        insert into receipts (endpoint_id, day, delivered, updated, erased)
        select '%s', current_date - 1 - d, (
            select range_agg(int8range(p, p, '[]')) from generate_series(d * 10000 + 1, d * 10000 + 9999, 3) as p), '{}', '{}'
        from generate_series(0, 299) as d
        """
            .formatted(endpoint));

    int all =
        blocks(
            "select count(*) from receipts where endpoint_id = $1 and delivered @> 0::bigint",
            Tuple.of(endpoint));
    int read =
        blocks(
            Copies.RECEIVED,
            Tuple.of(
                new UUID[] {endpoint},
                new UUID[] {endpoint},
                1L,
                LocalDate.now(ZoneOffset.UTC).minusDays(400),
                OffsetDateTime.now(ZoneOffset.UTC).minusDays(30)));
    assertThat(read).as("of %d that unpack all", all).isLessThan(all / 3);
  }

  private static int blocks(String query, Tuple parameters) {
    return service
        .database
        .preparedQuery("explain (analyze, buffers, format json) " + query)
        .execute(parameters)
        .await()
        .iterator()
        .next()
        .getJsonArray(0)
        .getJsonObject(0)
        .getJsonObject("Plan")
        .getInteger("Shared Hit Blocks");
  }

  /** What was sent is never said not to have been. */
  @Test
  void errsOnOneSideOnly() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<UUID> ids = service.enter(workspace, 30);
    List<String> keys = List.of(mint("key 0"), mint("key 1"));
    List<Set<UUID>> got = List.of(new HashSet<>(), new HashSet<>());
    List<String> cursors = new ArrayList<>();
    for (int step = 0; step < 60; step++) {
      int reader = random.nextInt(keys.size());
      String after =
          cursors.isEmpty() || random.nextInt(3) == 0
              ? ""
              : "&after=" + cursors.get(random.nextInt(cursors.size()));
      switch (random.nextInt(8)) {
        case 0 -> erase(ids.get(random.nextInt(ids.size())));
        case 1 ->
            service.put(
                ids.get(random.nextInt(ids.size())),
                Service.capture(workspace).put("title", "Step " + step));
        case 2 -> {
          UUID id = ids.get(random.nextInt(ids.size()));
          if (service.pull("/api/v1/captures/" + id, keys.get(reader)).statusCode() == 200) {
            got.get(reader).add(id);
          }
        }
        case 3 ->
            take(got.get(reader), read("/api/v1/changes?limit=3", keys.get(reader)), "changes");
        default -> {
          JsonObject page =
              read("/api/v1/captures?limit=" + (1 + random.nextInt(4)) + after, keys.get(reader));
          take(got.get(reader), page, "captures");
          @Nullable String end = page.getJsonObject("pageInfo").getString("endCursor");
          if (end != null) {
            cursors.add(end);
          }
        }
      }
    }
    for (UUID id : ids) {
      for (int reader = 0; reader < keys.size(); reader++) {
        if (got.get(reader).contains(id)) {
          assertThat(sent(id).get("key " + reader)).as("seed " + seed).isIn("yes", "possibly");
        }
      }
    }
  }

  @Test
  void isOfNoCaptureThatWasNeverReceived() {
    assertThat(
            service
                .internal("GET", "/internal/v1/captures/" + UUID.randomUUID() + "/copies", "")
                .statusCode())
        .isEqualTo(404);
  }

  private static JsonObject read(String path, String key) {
    return new JsonObject(service.pull(path, key).body());
  }

  private static void take(Set<UUID> got, JsonObject page, String list) {
    page.getJsonArray(list).stream()
        .map(JsonObject.class::cast)
        .filter(each -> !"erased".equals(each.getString("change")))
        .forEach(each -> got.add(UUID.fromString(each.getString("id"))));
  }

  private JsonObject copies(UUID id) {
    HttpResponse<String> answer =
        service.internal("GET", "/internal/v1/captures/" + id + "/copies", "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private Map<String, String> sent(UUID id) {
    return copies(id).getJsonArray("keys").stream()
        .map(JsonObject.class::cast)
        .collect(Collectors.toMap(each -> each.getString("name"), each -> each.getString("sent")));
  }

  private JsonObject key(UUID id, String name) {
    return copies(id).getJsonArray("keys").stream()
        .map(JsonObject.class::cast)
        .filter(each -> each.getString("name").equals(name))
        .findFirst()
        .orElseThrow();
  }

  private Map<UUID, JsonObject> byEndpoint(UUID id) {
    return copies(id).getJsonArray("endpoints").stream()
        .map(JsonObject.class::cast)
        .collect(
            Collectors.toMap(
                each -> UUID.fromString(each.getString("endpoint_id")), Function.identity()));
  }

  private Set<UUID> endpoints(UUID id) {
    return byEndpoint(id).keySet();
  }

  private JsonObject endpoint(UUID id, UUID endpoint) {
    return requireNonNull(byEndpoint(id).get(endpoint));
  }

  private void erase(UUID id) {
    service.internal(
        "DELETE", "/internal/v1/captures/" + id, new JsonObject().put("reason", "a request"));
  }

  private String mint(String name) {
    return new JsonObject(
            service
                .internal(
                    "POST",
                    "/internal/v1/workspaces/" + workspace + "/api-keys",
                    new JsonObject().put("name", name))
                .body())
        .getString("key");
  }

  private static HttpRequest.Builder request(String path, String key) {
    return HttpRequest.newBuilder(URI.create(service.publicUrl(path)))
        .header("authorization", "Bearer " + key);
  }
}
