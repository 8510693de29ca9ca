package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Fleet.Provisioned;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.Paging;
import io.egress.webhook.send.WebhookSignature;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Endpoints that are sent what others are sent, compressed. */
@Execution(ExecutionMode.CONCURRENT)
class CompressedBodiesTest {
  private static final String LONG = "Grüße, wie geht's? ".repeat(20_000);

  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "2s"));
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  private EndpointSpec spec(String receiver, boolean compress) {
    return Fleet.spec(
        fleet.receivers.url(receiver),
        Map.of("compress", compress, "events", Set.copyOf(Event.OF_CAPTURES)));
  }

  private Provisioned endpoint(String receiver, boolean compress) {
    return fleet.endpoint(workspace, new NewEndpoint(spec(receiver, compress), false));
  }

  @Test
  void sayTheSameAndAreSignedAsTheyAreSent() {
    Provisioned zipped = endpoint("zipped", true);
    endpoint("plain", false);
    fleet.dispatcher();
    UUID capture = fleet.captures(workspace, 1, LONG).getFirst();
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 2);
    fleet.revise(workspace, capture, "corrected");
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 4);
    fleet.erase(capture);
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 6);

    List<Arrival> compressed = fleet.receivers.arrivals("zipped");
    assertThat(compressed).allSatisfy(arrival -> assertSigned(arrival, zipped.secret()));
    assertThat(compressed.getFirst().body().length()).isLessThan(LONG.length() / 4);
    assertThat(compressed)
        .extracting(CompressedBodiesTest::said)
        .isEqualTo(
            fleet.receivers.arrivals("plain").stream().map(CompressedBodiesTest::said).toList());
    assertThat(fleet.receivers.arrivals("plain")).noneMatch(Arrival::isCompressed);
  }

  private static void assertSigned(Arrival arrival, String secret) {
    assertThat(arrival.isCompressed()).isTrue();
    long t = Long.parseLong(arrival.signature().substring(2, arrival.signature().indexOf(',')));
    assertThat(new WebhookSignature(List.of(secret)).sign(t, arrival.body().getBytes()))
        .isEqualTo(arrival.signature());
  }

  /** What is the same for each endpoint, whenever it was sent. */
  private static JsonObject said(Arrival arrival) {
    JsonObject envelope = arrival.envelope();
    envelope.remove("delivery_id");
    envelope.remove("emitted_at");
    envelope.getJsonObject("data").remove("emitted_at");
    return envelope;
  }

  @Test
  void anEndpointCanChangeToThemBetweenTwoAttempts() {
    fleet.receivers.behave(
        "crm", (request, nth) -> request.response().setStatusCode(nth == 1 ? 500 : 204).end());
    Provisioned endpoint = endpoint("crm", false);
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    await().until(() -> fleet.receivers.arrivals("crm").size() == 1);
    fleet.change(endpoint, EndpointChange.of(_ -> spec("crm", true)));
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1);

    List<Arrival> attempts = fleet.receivers.arrivals("crm");
    assertThat(attempts).extracting(Arrival::isCompressed).containsExactly(false, true);
    assertThat(said(attempts.get(1))).isEqualTo(said(attempts.get(0)));
    assertThat(fleet.query("select request_headers from attempts order by attempt"))
        .extracting(row -> row.getString(0).contains("content-encoding: gzip"))
        .containsExactly(false, true);
  }

  @Test
  void pagesAreCompressedToo() {
    PageReceiver receiver = new PageReceiver();
    fleet.receivers.behave("etl", receiver);
    List<UUID> entered = fleet.captures(workspace, 3, LONG);
    Provisioned endpoint =
        fleet.endpoint(
            workspace,
            NewEndpoint.stream(
                spec("etl", true), true, new Paging.Wanted(100, Paging.MAX_BODY_MAX)));
    fleet.dispatcher();
    await().until(() -> !receiver.accepted().isEmpty());
    fleet.revise(workspace, entered.get(1), "corrected");
    fleet.erase(entered.get(2));
    await().until(() -> receiver.copy().size() == 2);
    await()
        .untilAsserted(() ->
            assertThat(String.valueOf(receiver.copy().get(entered.get(1))))
                .contains("\"corrected\""));

    assertThat(receiver.accepted().getFirst().captureIds()).isEqualTo(entered);
    assertThat(fleet.receivers.arrivals("etl"))
        .allSatisfy(arrival -> assertSigned(arrival, endpoint.secret()));
    assertThat(fleet.receivers.arrivals("etl").getFirst().body().length())
        .isLessThan(LONG.length());
  }
}
