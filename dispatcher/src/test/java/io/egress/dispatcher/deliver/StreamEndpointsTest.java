package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.DispatcherApp;
import io.egress.dispatcher.DispatcherProcess;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Fleet.Provisioned;
import io.egress.dispatcher.deliver.PageReceiver.Page;
import io.egress.transcript.stream.Cursor;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.Paging;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.HashMap;
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

/** Endpoints that are sent the stream itself. */
@Execution(ExecutionMode.CONCURRENT)
class StreamEndpointsTest {
  private static final String SCHEDULE = "200ms,300ms,400ms";

  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", SCHEDULE));
  private final UUID workspace = UUID.randomUUID();
  private final PageReceiver receiver = new PageReceiver();
  private final List<UUID> entered = new ArrayList<>();

  @BeforeEach
  void receive() {
    fleet.receivers.behave("etl", receiver);
  }

  @AfterEach
  void close() {
    fleet.close();
  }

  private Provisioned stream(boolean fullHistory, int batch) {
    return stream(EndpointSpec.of(fleet.receivers.url("etl")), fullHistory, batch);
  }

  private Provisioned stream(EndpointSpec spec, boolean fullHistory, int batch) {
    return fleet.endpoint(
        workspace,
        NewEndpoint.stream(spec, fullHistory, new Paging.Wanted(batch, Paging.MAX_BODY_DEFAULT)));
  }

  private void enter(int count) {
    entered.addAll(fleet.captures(workspace, count));
  }

  private void awaitAllAccepted() {
    await().untilAsserted(() -> assertThat(receiver.captureIds()).isEqualTo(entered));
    assertThat(receiver.faults()).isEmpty();
  }

  private Row turn() {
    return fleet.query("select * from turns").iterator().next();
  }

  @Test
  void getsThePagesThatAPullWouldHaveRead() {
    enter(7);
    Provisioned endpoint = stream(true, 3);
    fleet.dispatcher();
    awaitAllAccepted();
    enter(2);
    awaitAllAccepted();

    List<Page> pages = receiver.accepted();
    assertThat(pages).extracting(page -> page.captureIds().size()).startsWith(3, 3, 1);
    assertThat(pages.getFirst().after()).isNull();
    assertThat(pages.getFirst().endCursor()).isEqualTo(new Cursor(3, 3).encode());
    assertThat(hasNext(pages.get(0))).isTrue();
    assertThat(hasNext(pages.get(2))).isFalse();
    Arrival arrival = fleet.receivers.arrivals("etl").getFirst();
    assertThat(arrival.event()).isEqualTo("captures.page");
    assertThat(arrival.headers().get("x-service-position")).isEqualTo("3");
    assertThat(arrival.headers().contains("x-service-revision")).isFalse();
    assertThat(arrival.signature()).startsWith("t=");
    JsonObject document = pages.getFirst().data().getJsonArray("captures").getJsonObject(0);
    assertThat(document.getString("transcript_text")).isEqualTo("text");
    assertThat(document.getInstant("emitted_at"))
        .isEqualTo(arrival.envelope().getInstant("emitted_at"));
    await().untilAsserted(() -> assertThat(turn().getOffsetDateTime("due_at")).isNull());
    assertThat(turn().getLong("position")).isEqualTo(9);
    assertThat(fleet.count("pages where state = 'delivered' and documents > 0"))
        .isEqualTo(pages.size());
    assertThat(fleet.count("deliveries")).isZero();
    assertThat(fleet.count("endpoint_hours where succeeded = " + pages.size())).isOne();
    assertThat(
            fleet.count(
                "receipts where delivered = '{[1,10)}' and endpoint_id = '" + endpoint.id() + "'"))
        .isOne();
  }

  private static boolean hasNext(Page page) {
    return page.data().getJsonObject("pageInfo").getBoolean("hasNextPage");
  }

  @Test
  void beginsWithWhatEntersAfterItsCreation() {
    enter(3);
    stream(false, 100);
    entered.clear();
    fleet.dispatcher();
    enter(4);
    awaitAllAccepted();
    assertThat(receiver.accepted().getFirst().after()).isEqualTo(new Cursor(3, 3).encode());
  }

  @Test
  void isNeverGivenUpAndKeepsItsOrder() {
    receiver.answer(_ -> 503);
    Provisioned endpoint = stream(false, 2);
    fleet.dispatcher();
    enter(5);
    await().until(() -> receiver.requests().size() >= 8);
    assertThat(receiver.requests())
        .extracting(Page::captureIds)
        .containsOnly(entered.subList(0, 2));
    assertThat(receiver.requests())
        .extracting(Page::deliveryId)
        .containsOnly(receiver.requests().getFirst().deliveryId());
    assertThat(turn().getOffsetDateTime("failing_since")).isNotNull();
    assertThat(fleet.count("pages where state = 'pending' and attempts > 3")).isOne();

    receiver.fine();
    awaitAllAccepted();
    assertThat(turn().getOffsetDateTime("failing_since")).isNull();
    assertThat(
            fleet.count(
                "attempts a join pages p on p.id = a.delivery_id and p.endpoint_id = '"
                    + endpoint.id()
                    + "' where a.outcome = 'status'"))
        .isGreaterThanOrEqualTo(8);
  }

  @Test
  void aPauseHoldsAndSkipsNothing() {
    Provisioned endpoint = stream(false, 10);
    fleet.dispatcher();
    enter(2);
    awaitAllAccepted();
    fleet.change(endpoint, EndpointChange.pausing(true));
    enter(3);
    await().pollDelay(java.time.Duration.ofSeconds(2)).until(() -> true);
    assertThat(receiver.captureIds()).hasSize(2);
    fleet.change(endpoint, EndpointChange.pausing(false));
    awaitAllAccepted();
    enter(1);
    awaitAllAccepted();
  }

  @Test
  void aPageThatIsRefusedIsHalvedDownToTheCaptureThatIsRefused() {
    enter(10);
    UUID poison = entered.get(6);
    receiver.answer(page -> page.captureIds().contains(poison) ? 422 : 204);
    stream(true, 8);
    fleet.dispatcher();

    await().untilAsserted(() -> assertThat(turn().getUUID("held_capture")).isEqualTo(poison));
    assertThat(receiver.captureIds()).isEqualTo(entered.subList(0, 6));
    assertThat(turn().getString("last_outcome")).isEqualTo("status");
    assertThat(turn().getInteger("last_status")).isEqualTo(422);

    receiver.fine();
    awaitAllAccepted();
    assertThat(turn().getUUID("held_capture")).isNull();
  }

  @Test
  void aPageThatIsTooLargeIsHalvedAtOnceAndGrowsAgain() {
    receiver.answer(page -> page.captureIds().size() > 2 ? 413 : 204);
    enter(200);
    stream(true, 4);
    fleet.dispatcher();
    await().until(() -> receiver.captureIds().size() >= 40);
    receiver.fine();
    awaitAllAccepted();
    assertThat(receiver.requests().get(1).captureIds()).isEqualTo(entered.subList(0, 2));
    assertThat(receiver.accepted()).anySatisfy(page -> assertThat(page.captureIds()).hasSize(4));
  }

  @Test
  void noPageHasWhatWasErasedBeforeItBegan() {
    enter(4);
    UUID erased = entered.remove(1);
    fleet.erase(erased);
    stream(true, 2);
    fleet.dispatcher();
    awaitAllAccepted();
  }

  @Test
  void getsWhatItsFilterWants() {
    enter(2000);
    UUID device = device(entered.get(1500));
    UUID wanted = entered.get(1500);
    fleet.query("update captures set mode = 'ambient' where id = '" + wanted + "'");
    stream(
        Fleet.spec(
            fleet.receivers.url("etl"), Map.of("filter", Map.of("modes", Set.of("ambient")))),
        true,
        100);
    entered.clear();
    entered.add(wanted);
    fleet.dispatcher();
    awaitAllAccepted();
    await().untilAsserted(() -> assertThat(turn().getLong("read_up_to")).isEqualTo(2000));
    assertThat(turn().getLong("position")).isEqualTo(1501);
    assertThat(device).isNotNull();
  }

  private UUID device(UUID capture) {
    return fleet
        .query("select device_id from captures where id = '" + capture + "'")
        .iterator()
        .next()
        .getUUID(0);
  }

  @Test
  void aPageHasNoMoreBytesThanItsReceiverTakes() {
    String long20 = "x".repeat(20_000);
    entered.addAll(fleet.captures(workspace, 10, long20));
    fleet.endpoint(
        workspace,
        NewEndpoint.stream(
            EndpointSpec.of(fleet.receivers.url("etl")),
            true,
            new Paging.Wanted(100, Paging.MAX_BODY_MIN)));
    fleet.dispatcher();
    awaitAllAccepted();
    assertThat(fleet.receivers.arrivals("etl"))
        .allSatisfy(arrival -> assertThat(arrival.body().length()).isLessThan(Paging.MAX_BODY_MIN));
    assertThat(receiver.accepted().getFirst().captureIds()).hasSize(3);
  }

  @Test
  void aTurnThatWasLostIsFound() {
    DispatcherApp dispatcher = fleet.dispatcher();
    stream(false, 10);
    enter(1);
    awaitAllAccepted();
    fleet.stop(dispatcher);
    // As if the process had died between its two steps, a minute ago.
    enter(2);
    fleet.query(
        "update turns set page_up_to = 3, due_at = now() - interval '1 minute', owed_at = now()");
    fleet.query("update stream set mode = mode");
    fleet.dispatcher();
    awaitAllAccepted();
  }

  @Test
  @Tag("full")
  void aDispatcherThatIsKilledLeavesNothingOutAndRepeatsOnlyWholePages() throws Exception {
    enter(60);
    receiver.slow(100);
    stream(true, 3);
    for (int killed = 0; killed < 3; killed++) {
      try (DispatcherProcess dispatcher = fleet.process()) {
        int before = receiver.requests().size();
        await().until(() -> receiver.requests().size() > before + 2);
        dispatcher.kill();
      }
      // Whatever it has sent before it was killed, the next one has more than two pages to send.
      enter(12);
    }
    receiver.slow(1);
    fleet.dispatcher();
    awaitAllAccepted();
    Map<String, List<UUID>> pages = new HashMap<>();
    for (Page page : receiver.requests()) {
      assertThat(pages.computeIfAbsent(page.deliveryId(), _ -> page.captureIds()))
          .as("the page %s, sent again", page.deliveryId())
          .isEqualTo(page.captureIds());
    }
  }

  @Test
  void referencesComeInPages() {
    enter(3);
    stream(Fleet.spec(fleet.receivers.url("etl"), Map.of("payload", "reference")), true, 100);
    fleet.dispatcher();
    awaitAllAccepted();
    assertThat(
            receiver
                .accepted()
                .getFirst()
                .data()
                .getJsonArray("captures")
                .getJsonObject(1)
                .fieldNames())
        .containsExactly("id", "workspace_id", "url", "emitted_at");
  }

  @Test
  void aBrokenEndpointDelaysNobodyAndADeletedOneEnds() {
    receiver.answer(_ -> 500);
    Provisioned endpoint = stream(false, 10);
    fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    enter(3);
    await().until(() -> fleet.receivers.arrivals("crm").size() == 3);
    // An attempt that is under way when the endpoint is deleted says when the next one is due.
    receiver.slow(500);
    int before = receiver.requests().size();
    await().until(() -> receiver.requests().size() > before);
    fleet.delete(endpoint);
    await().untilAsserted(() -> assertThat(turn().getOffsetDateTime("due_at")).isNull());
  }

  @Test
  void theRepetitionOfAStoredPageFitsThoughItsLastCaptureWasErased() {
    enter(3);
    receiver.loseAnswers(true);
    stream(true, 3);
    fleet.dispatcher();
    await().until(() -> receiver.accepted().size() == 1);
    fleet.erase(entered.get(2));
    receiver.loseAnswers(false);
    enter(1);
    awaitAllAccepted();
  }

  /** Also if the page that was accepted then had it no more. */
  @Test
  void whatWasAnsweredToAPageThatHadACaptureIsForgottenWithIt() {
    enter(4);
    receiver.answer(page -> page.captureIds().size() > 2 ? 413 : 204);
    stream(true, 4);
    fleet.dispatcher();
    awaitAllAccepted();
    assertThat(fleet.count("attempts where answer is not null")).isOne();
    fleet.erase(entered.get(3));
    assertThat(fleet.count("attempts where answer is not null")).isZero();
  }

  @Test
  void theRepetitionOfAStoredPageFitsThoughADocumentHasGrown() {
    entered.addAll(fleet.captures(workspace, 6, "x".repeat(20_000)));
    receiver.loseAnswers(true);
    fleet.endpoint(
        workspace,
        NewEndpoint.stream(
            EndpointSpec.of(fleet.receivers.url("etl")),
            true,
            new Paging.Wanted(100, Paging.MAX_BODY_MIN)));
    fleet.dispatcher();
    await().until(() -> receiver.accepted().size() == 1);
    fleet.revise(workspace, entered.get(1), "x".repeat(40_000));
    receiver.loseAnswers(false);
    awaitAllAccepted();
  }
}
