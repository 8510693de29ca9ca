package io.egress.dispatcher.deliver;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.DispatcherApp;
import io.egress.dispatcher.Fleet;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.endpoint.NewEndpoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Endpoints that ask for updates have what a capture shows. */
@Execution(ExecutionMode.CONCURRENT)
class UpdatesTest {

  /** Soon again, and for longer than a receiver is broken in any of the tests. */
  private static final String SCHEDULE = "1s" + ",1s".repeat(9) + ",5s".repeat(10);

  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", SCHEDULE));
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void areSentToWhoAskedAndWasOwedTheCapture() {
    fleet.endpoint(workspace, following("crm", false));
    fleet.endpoint(workspace, "search");
    fleet.dispatcher();
    UUID capture = fleet.captures(workspace, 2).get(1);
    fleet.endpoint(workspace, following("late", false));
    fleet.endpoint(workspace, following("history", true));
    awaitDelivered(6);

    fleet.revise(workspace, capture, "corrected");

    await().until(() -> updates("crm").size() == 1);
    await().until(() -> updates("history").size() == 1);
    awaitDelivered(8);
    assertThat(updates("search")).as("it did not ask").isEmpty();
    assertThat(updates("late")).as("it was never owed it").isEmpty();
    Arrival update = updates("crm").get(0);
    assertThat(update.envelope().fieldNames())
        .containsExactly("event", "delivery_id", "emitted_at", "data");
    assertThat(update.envelope().getString("event")).isEqualTo("capture.updated");
    assertThat(update.captureId()).isEqualTo(capture);
    assertThat(text(update)).isEqualTo("corrected");
    assertThat(update.headers().get("x-service-position")).isEqualTo("2");
    assertThat(update.headers().get("x-service-revision")).isEqualTo("2");
    Arrival first = arrivals("crm", capture).get(0);
    assertThat(first.headers().get("x-service-position")).isEqualTo("2");
    assertThat(first.headers().get("x-service-revision")).isEqualTo("1");
  }

  @Test
  void severalChangesThatNobodyHasSeenAreOne() {
    fleet.endpoint(workspace, following("crm", false));
    DispatcherApp dispatcher = fleet.dispatcher();
    List<UUID> captures = fleet.captures(workspace, 3);
    awaitDelivered(3);
    fleet.stop(dispatcher);
    for (int i = 0; i < 5; i++) {
      for (UUID capture : captures) {
        fleet.revise(workspace, capture, "change " + i);
      }
    }

    fleet.dispatcher();
    awaitDelivered(6);

    assertThat(updates("crm")).extracting(UpdatesTest::text).containsOnly("change 4").hasSize(3);
    assertThat(fleet.count("backfills where origin = 'update'")).isEqualTo(1);
  }

  @Test
  void anUpdateThatIsRetriedGivesWayToALaterOne() {
    AtomicBoolean broken = new AtomicBoolean();
    fleet.receivers.behave(
        "crm", (request, _) -> request.response().setStatusCode(broken.get() ? 503 : 204).end());
    fleet.endpoint(workspace, following("crm", false));
    fleet.dispatcher();
    UUID capture = fleet.captures(workspace, 1).get(0);
    awaitDelivered(1);
    broken.set(true);
    for (int i = 1; i <= 3; i++) {
      fleet.revise(workspace, capture, "change " + i);
      int failed = i;
      await()
          .until(() ->
              fleet.count("deliveries where origin = 'update' and last_outcome = 'status'")
                  >= failed);
    }
    int refused = updates("crm").size();
    broken.set(false);

    awaitDelivered(2);
    await().until(() -> fleet.count("deliveries where state = 'superseded'") == 2);
    assertThat(updates("crm").subList(refused, updates("crm").size()))
        .extracting(UpdatesTest::text)
        .containsExactly("change 3");
  }

  @Test
  void whatARetriedFirstDeliveryHasShownIsNotSentAgain() {
    AtomicBoolean broken = new AtomicBoolean(true);
    fleet.receivers.behave(
        "crm", (request, _) -> request.response().setStatusCode(broken.get() ? 503 : 204).end());
    fleet.endpoint(workspace, following("crm", false));
    DispatcherApp dispatcher = fleet.dispatcher();
    UUID capture = fleet.captures(workspace, 1).get(0);
    await().until(() -> fleet.count("attempts") >= 1);
    fleet.query("update endpoints set spec = spec || '{\"max_in_flight\": 1}'");
    fleet.stop(dispatcher);
    broken.set(false);
    fleet.revise(workspace, capture, "corrected");
    // The first delivery is retried before the update is published.
    fleet.query("update backfills set finished_at = now() where origin = 'update'");
    fleet.dispatcher();
    awaitDelivered(1);
    fleet.query("update backfills set finished_at = null where origin = 'update'");

    await().until(() -> fleet.count("deliveries where state = 'superseded'") == 1);
    assertThat(updates("crm")).isEmpty();
    assertThat(text(arrivals("crm", capture).getLast())).isEqualTo("corrected");
  }

  @Test
  void noneFollowsTheErasure() {
    AtomicBoolean broken = new AtomicBoolean();
    fleet.receivers.behave(
        "crm",
        (request, _) ->
            request
                .response()
                .setStatusCode(
                    broken.get() && "capture.updated".equals(request.getHeader("x-service-event"))
                        ? 503
                        : 204)
                .end());
    fleet.endpoint(workspace, following("crm", false));
    fleet.dispatcher();
    UUID capture = fleet.captures(workspace, 1).get(0);
    awaitDelivered(1);
    broken.set(true);
    fleet.revise(workspace, capture, "corrected");
    await().until(() -> updates("crm").size() == 1);

    fleet.query("select erase_capture('%s', null, 'requested')".formatted(capture));

    await().until(() -> fleet.count("deliveries where state = 'skipped'") == 1);
    awaitDelivered(2);
    assertThat(arrivals("crm", capture).getLast().event()).isEqualTo("capture.erased");
    assertThat(arrivals("crm", capture).getLast().headers().get("x-service-revision"))
        .isEqualTo("3");
    assertThat(fleet.count("backfills where origin = 'update'"))
        .as("an erasure is no update")
        .isEqualTo(1);
  }

  @Test
  void aReplayOfWhatFailedSendsTheUpdateThatAPausedEndpointMissed() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, following("crm", false));
    DispatcherApp dispatcher = fleet.dispatcher();
    List<UUID> captures = fleet.captures(workspace, 2);
    awaitDelivered(2);
    fleet.revise(workspace, captures.get(0), "first change");
    awaitDelivered(3);
    fleet.stop(dispatcher);
    fleet.revise(workspace, captures.get(0), "second change");
    fleet.dispatcher(Map.of("EGRESS_RETRY_SCHEDULE", "1s"));
    fleet.receivers.behave("crm", (request, _) -> request.response().setStatusCode(500).end());
    // Whichever attempt meets the failing receiver: the update is delivered, or it is given up.
    await()
        .until(() ->
            fleet.count(
                    "deliveries where origin = 'update' and state in ('exhausted', 'delivered')")
                == 2);
    boolean missed = fleet.count("deliveries where state = 'exhausted'") == 1;
    fleet.receivers.behave("crm", (request, _) -> request.response().setStatusCode(204).end());

    UUID replay = fleet.replay(endpoint, 1, 2, true);

    await()
        .until(() ->
            fleet.count("backfills where finished_at is not null and id = '%s'".formatted(replay))
                == 1);
    await()
        .until(() ->
            fleet.count(
                    "deliveries where state = 'delivered' and replay_id = '%s'".formatted(replay))
                == (missed ? 1 : 0));
    assertThat(text(arrivals("crm", captures.get(0)).getLast())).isEqualTo("second change");
  }

  /** Changes, erasures, failures, pauses and restarts in any order. */
  @Test
  @Tag("full")
  void everyReceiverEndsWithTheCurrentStateAndSeesEachRevisionOnce() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    AtomicBoolean broken = new AtomicBoolean();
    List<String> receivers = List.of("a", "b");
    fleet.receivers.behave(
        "b", (request, _) -> request.response().setStatusCode(broken.get() ? 500 : 204).end());
    List<Fleet.Provisioned> endpoints =
        receivers.stream()
            .map(receiver -> fleet.endpoint(workspace, following(receiver, false)))
            .toList();
    DispatcherApp dispatcher = fleet.dispatcher();
    List<UUID> captures = new ArrayList<>(fleet.captures(workspace, 6));
    Map<UUID, String> current = new HashMap<>();
    captures.forEach(id -> current.put(id, "text"));
    for (int step = 0; step < 60; step++) {
      UUID capture = captures.get(random.nextInt(captures.size()));
      switch (random.nextInt(12)) {
        case 0 -> broken.set(!broken.get());
        case 1 -> {
          fleet.stop(dispatcher);
          dispatcher = fleet.dispatcher();
        }
        case 2 -> {
          UUID fresh = fleet.captures(workspace, 1).get(0);
          captures.add(fresh);
          current.put(fresh, "text");
        }
        case 3 -> {
          if (random.nextInt(2) == 0) {
            fleet.query("select erase_capture('%s', null, 'requested')".formatted(capture));
            current.remove(capture);
          }
        }
        default -> {
          if (current.containsKey(capture)) {
            fleet.revise(workspace, capture, "step " + step);
            current.put(capture, "step " + step);
          }
        }
      }
    }
    broken.set(false);
    await()
        .untilAsserted(
            () -> assertThat(unfinished(captures, endpoints)).as("seed " + seed).isEmpty());
    endpoints.forEach(endpoint -> fleet.replay(endpoint, 1, captures.size(), true));
    for (String receiver : receivers) {
      await()
          .untilAsserted(() ->
              assertThat(copyOf(receiver)).as(receiver + ", seed " + seed).isEqualTo(current));
      assertThat(
              accepted(receiver).stream()
                  .filter(each -> each.event().equals("capture.updated"))
                  .collect(groupingBy(each -> each.captureId() + " " + revision(each))))
          .as(receiver + ", seed " + seed)
          .allSatisfy((_, same) ->
              assertThat(same.stream().map(Arrival::deliveryId).distinct()).hasSize(1));
    }
  }

  /** What is still to be published, attempted or noted. */
  private List<String> unfinished(List<UUID> captures, List<Fleet.Provisioned> endpoints) {
    List<String> unfinished = new ArrayList<>();
    fleet
        .query("select b::text as text from unfinished_backfills b")
        .forEach(row -> unfinished.add("backfill " + row.getString("text")));
    fleet
        .query("select d::text as text from deliveries d where state = 'pending'")
        .forEach(row -> unfinished.add("pending " + row.getString("text")));
    Set<UUID> noted = new HashSet<>();
    fleet
        .query("select id from deliveries where origin = 'live'")
        .forEach(row -> noted.add(row.getUUID("id")));
    for (Fleet.Provisioned endpoint : endpoints) {
      for (UUID capture : captures) {
        if (!noted.contains(DeliveryId.of(endpoint.id(), capture))) {
          unfinished.add(
              "no attempt of capture " + (captures.indexOf(capture) + 1) + " at " + endpoint.id());
        }
      }
    }
    return unfinished;
  }

  /** As a receiver keeps it: what has a lower revision than what it has is dropped. */
  private Map<UUID, String> copyOf(String receiver) {
    Map<UUID, Arrival> newest = new HashMap<>();
    for (Arrival arrival : accepted(receiver)) {
      newest.merge(
          arrival.captureId(),
          arrival,
          (before, now) -> revision(now) >= revision(before) ? now : before);
    }
    Map<UUID, String> copy = new HashMap<>();
    newest.forEach((id, arrival) -> {
      if (!arrival.event().equals("capture.erased")) {
        copy.put(id, text(arrival));
      }
    });
    return copy;
  }

  /** What the service has recorded as delivered. */
  private List<Arrival> accepted(String receiver) {
    Set<Object> delivered = new HashSet<>();
    fleet
        .query("select id from deliveries where state = 'delivered'")
        .forEach(row -> delivered.add(row.getUUID("id")));
    return fleet.receivers.arrivals(receiver).stream()
        .filter(arrival -> delivered.contains(arrival.deliveryId()))
        .toList();
  }

  private static long revision(Arrival arrival) {
    return Long.parseLong(arrival.headers().get("x-service-revision"));
  }

  private static String text(Arrival arrival) {
    return arrival.envelope().getJsonObject("data").getString("transcript_text");
  }

  private void awaitDelivered(int count) {
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == count);
  }

  private List<Arrival> arrivals(String receiver, UUID capture) {
    return fleet.receivers.arrivals(receiver).stream()
        .filter(arrival -> arrival.captureId().equals(capture))
        .toList();
  }

  private List<Arrival> updates(String receiver) {
    return fleet.receivers.arrivals(receiver).stream()
        .filter(arrival -> arrival.event().equals("capture.updated"))
        .toList();
  }

  private NewEndpoint following(String receiver, boolean fullHistory) {
    return new NewEndpoint(
        Fleet.spec(fleet.receivers.url(receiver), Map.of("events", Set.copyOf(Event.OF_CAPTURES))),
        fullHistory);
  }
}
