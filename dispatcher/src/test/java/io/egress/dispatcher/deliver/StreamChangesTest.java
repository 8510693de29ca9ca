package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.DispatcherProcess;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Fleet.Provisioned;
import io.egress.dispatcher.deliver.PageReceiver.Page;
import io.egress.transcript.stream.Feed;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.Paging;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Endpoints that are sent the stream itself, and what becomes of its captures. */
@Execution(ExecutionMode.CONCURRENT)
class StreamChangesTest {
  private static final Set<String> ALL =
      Set.of("capture.processed", "capture.updated", "capture.erased");

  /** Of a process, until it has taken over from the one that was killed. */
  private static final Duration START_MAX = Duration.ofMinutes(4);

  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "200ms,300ms,400ms"));
  private final UUID workspace = UUID.randomUUID();
  private final PageReceiver receiver = new PageReceiver();
  private final List<UUID> entered = new ArrayList<>();
  private final Set<UUID> erased = new HashSet<>();

  @BeforeEach
  void receive() {
    fleet.receivers.behave("etl", receiver);
  }

  @AfterEach
  void close() {
    fleet.close();
  }

  private Provisioned stream(Set<String> events, int batch) {
    return fleet.endpoint(
        workspace,
        NewEndpoint.stream(spec(events), true, new Paging.Wanted(batch, Paging.MAX_BODY_DEFAULT)));
  }

  private EndpointSpec spec(Set<String> events) {
    return Fleet.spec(fleet.receivers.url("etl"), Map.of("events", events));
  }

  private void enter(int count) {
    entered.addAll(fleet.captures(workspace, count));
  }

  private void erase(UUID... captures) {
    for (UUID capture : captures) {
      fleet.erase(capture);
      erased.add(capture);
    }
  }

  /** Its copy is the workspace as it is now. */
  private void awaitSame() {
    await()
        .untilAsserted(() -> {
          Set<UUID> expected = new HashSet<>(entered);
          expected.removeAll(erased);
          assertThat(receiver.copy().keySet()).isEqualTo(expected);
          Row turn = turn();
          assertThat(turn.getOffsetDateTime("due_at")).isNull();
          assertThat(turn.getLong("changes_read_up_to"))
              .isEqualTo(
                  fleet
                      .query("select coalesce(max(number), 0) from change_heads")
                      .iterator()
                      .next()
                      .getLong(0));
        });
    assertThat(receiver.faults()).isEmpty();
  }

  private Row turn() {
    return fleet.query("select * from turns").iterator().next();
  }

  private String text(UUID capture) {
    JsonObject document = receiver.copy().get(capture);
    return document == null ? "" : document.getString("transcript_text");
  }

  @Test
  void getsTheStreamAndThenWhatBecameOfIt() {
    enter(5);
    Provisioned endpoint = stream(ALL, 3);
    fleet.dispatcher();
    awaitSame();
    fleet.revise(workspace, entered.get(1), "corrected");
    erase(entered.get(2));
    awaitSame();
    await().until(() -> text(entered.get(1)).equals("corrected"));

    List<Page> changes = receiver.accepted(Feed.CHANGES);
    assertThat(changes.getFirst().after()).isNull();
    JsonObject update = changes.getFirst().data().getJsonArray("changes").getJsonObject(0);
    assertThat(update.fieldNames())
        .containsExactly("id", "change", "revision", "changed_at", "reason", "capture");
    assertThat(update.getString("change")).isEqualTo("updated");
    assertThat(update.getInteger("revision")).isEqualTo(2);
    Arrival arrival =
        fleet.receivers.arrivals("etl").stream()
            .filter(each -> each.event().equals("changes.page"))
            .findFirst()
            .orElseThrow();
    assertThat(update.getJsonObject("capture").getInstant("emitted_at"))
        .isEqualTo(arrival.envelope().getInstant("emitted_at"));
    assertThat(arrival.headers().contains("x-service-revision")).isFalse();
    assertThat(
            fleet.count(
                "receipts where delivered = '{[1,6)}' and updated = '{[2,3)}' and erased = '{[3,4)}' and endpoint_id = '"
                    + endpoint.id()
                    + "'"))
        .isOne();
    assertThat(fleet.count("backfills")).isZero();
    assertThat(fleet.count("erasure_backfills")).isZero();
    assertThat(fleet.count("pages where changed @> array['" + entered.get(2) + "'::uuid]")).isOne();
  }

  @Test
  void aPageOfChangesIsNotTooLargeAndFitsTheOneBefore() {
    entered.addAll(fleet.captures(workspace, 6, "x".repeat(20_000)));
    fleet.endpoint(
        workspace,
        NewEndpoint.stream(spec(ALL), true, new Paging.Wanted(100, Paging.MAX_BODY_MIN)));
    entered.forEach(id -> fleet.revise(workspace, id, "y".repeat(20_000)));
    fleet.dispatcher();
    awaitSame();
    await().until(() -> receiver.accepted(Feed.CHANGES).size() == 2);
    assertThat(fleet.receivers.arrivals("etl"))
        .allSatisfy(arrival -> assertThat(arrival.body().length()).isLessThan(Paging.MAX_BODY_MIN));
  }

  @Test
  void isSentOnlyWhatItSubscribesTo() {
    enter(4);
    Provisioned endpoint = stream(Set.of("capture.processed", "capture.erased"), 10);
    fleet.dispatcher();
    awaitSame();
    fleet.revise(workspace, entered.get(0), "corrected");
    erase(entered.get(3));
    awaitSame();
    assertThat(receiver.accepted(Feed.CHANGES))
        .flatExtracting(Page::captureIds)
        .containsExactly(entered.get(3));

    // Changes made while it was not subscribed are sent once it subscribes again.
    fleet.change(endpoint, EndpointChange.of(_ -> spec(Set.of("capture.processed"))));
    fleet.revise(workspace, entered.get(1), "corrected, too");
    enter(1);
    await().until(() -> receiver.captureIds().size() == 5);
    assertThat(text(entered.get(1))).isEqualTo("text");
    fleet.change(endpoint, EndpointChange.of(_ -> spec(ALL)));
    awaitSame();
    await().until(() -> text(entered.get(1)).equals("corrected, too"));
  }

  @Test
  void whatIsRefusedIsHalvedHeldAndTriedUntilItIsAccepted() {
    enter(8);
    stream(ALL, 8);
    fleet.dispatcher();
    awaitSame();
    UUID poison = entered.get(5);
    receiver.answer(
        page -> page.feed() == Feed.CHANGES && page.captureIds().contains(poison) ? 422 : 204);
    entered.forEach(id -> fleet.revise(workspace, id, "corrected"));
    await().untilAsserted(() -> assertThat(turn().getUUID("held_capture")).isEqualTo(poison));
    enter(2);
    assertThat(text(entered.get(4))).isEqualTo("corrected");
    receiver.fine();
    awaitSame();
    await().until(() -> text(entered.get(7)).equals("corrected"));
  }

  /** Also if the page that was accepted then had it no more. */
  @Test
  void whatWasAnsweredToAPageThatHadACaptureIsForgottenWithIt() {
    enter(4);
    stream(ALL, 4);
    fleet.dispatcher();
    awaitSame();
    receiver.answer(page -> page.captureIds().size() > 2 ? 413 : 204);
    fleet.query("select enter_changes(array(select id from captures))");
    awaitSame();
    assertThat(fleet.count("attempts where answer is not null")).isOne();
    receiver.fine();
    erase(entered.get(3));
    assertThat(fleet.count("attempts where answer is not null")).isZero();
    awaitSame();
  }

  @Test
  void aPauseBetweenSkipsNothing() {
    enter(2);
    Provisioned endpoint = stream(ALL, 10);
    fleet.dispatcher();
    awaitSame();
    receiver.answer(_ -> 503);
    fleet.revise(workspace, entered.get(0), "corrected");
    await().until(() -> receiver.requests().stream().anyMatch(page -> page.feed() == Feed.CHANGES));
    fleet.change(endpoint, EndpointChange.pausing(true));
    await().untilAsserted(() -> assertThat(turn().getOffsetDateTime("due_at")).isNull());
    receiver.fine();
    erase(entered.get(1));
    enter(1);
    fleet.change(endpoint, EndpointChange.pausing(false));
    awaitSame();
    assertThat(text(entered.get(0))).isEqualTo("corrected");
  }

  @Test
  void noDocumentOfWhatWasErasedIsInARepetition() {
    enter(3);
    stream(ALL, 10);
    fleet.dispatcher();
    awaitSame();
    receiver.loseAnswers(true);
    fleet.revise(workspace, entered.get(0), "corrected");
    fleet.revise(workspace, entered.get(1), "corrected");
    await().until(() -> !receiver.accepted(Feed.CHANGES).isEmpty());
    erase(entered.get(0));
    int before = receiver.requests().size();
    await().until(() -> receiver.requests().size() > before + 1);
    assertThat(receiver.requests().getLast().captureIds()).doesNotContain(entered.get(0));
    receiver.loseAnswers(false);
    awaitSame();
  }

  @Test
  @Tag("full")
  void aDispatcherThatIsKilledLeavesNothingOutOfEither() throws Exception {
    enter(30);
    receiver.slow(30);
    stream(ALL, 3);
    for (int killed = 0; killed < 3; killed++) {
      try (DispatcherProcess dispatcher = fleet.process()) {
        int before = receiver.requests().size();
        await().atMost(START_MAX).until(() -> receiver.requests().size() > before + 2);
        fleet.revise(workspace, entered.get(killed), "corrected");
        erase(entered.get(20 + killed));
        dispatcher.kill();
      }
      // Whatever it has sent before it was killed, the next one has more than two pages to send.
      enter(12);
    }
    receiver.slow(1);
    fleet.dispatcher();
    awaitSame();
    assertThat(text(entered.get(2))).isEqualTo("corrected");
  }
}
