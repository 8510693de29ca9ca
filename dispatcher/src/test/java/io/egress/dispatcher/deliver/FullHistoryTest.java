package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.DispatcherApp;
import io.egress.dispatcher.Fleet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What an endpoint is sent when it is created while captures arrive. */
@Isolated("it compares times")
class FullHistoryTest {

  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "500ms,1h"));
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void isDeliveredOnceIfRequestedAndSkippedOtherwise() {
    fleet.dispatcher();
    List<UUID> captures = new ArrayList<>();
    Map<String, Fleet.Provisioned> endpoints = new HashMap<>();
    for (int round = 0; round < 12; round++) {
      captures.addAll(fleet.captures(workspace, 25));
      boolean fullHistory = round % 2 == 0;
      String receiver = (fullHistory ? "all" : "later") + round;
      endpoints.put(
          receiver, fleet.endpoint(workspace, fleet.receivers.url(receiver), fullHistory));
    }
    captures.addAll(fleet.captures(workspace, 25));

    long expected =
        endpoints.entrySet().stream()
            .mapToLong(entry -> expected(entry.getKey(), entry.getValue(), captures).size())
            .sum();
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == expected);
    endpoints.forEach((receiver, endpoint) -> {
      List<UUID> arrived =
          fleet.receivers.arrivals(receiver).stream().map(Arrival::captureId).toList();
      assertThat(arrived)
          .as(receiver)
          .containsExactlyInAnyOrderElementsOf(expected(receiver, endpoint, captures));
    });
  }

  @Test
  void continuesAfterARestartBehindLiveTraffic() {
    List<UUID> history = fleet.captures(workspace, 1_500);
    answerAfter(100);
    fleet.endpoint(workspace, fleet.receivers.url("crm"), true);
    DispatcherApp first = fleet.dispatcher();
    await().until(() -> fleet.receivers.count() > 300);
    fleet.stop(first);
    answerAfter(500);
    fleet.dispatcher();
    await().until(() -> fleet.receivers.count() > 500);
    UUID live = fleet.captures(workspace, 1).get(0);
    await().until(() -> arrivedAtCrm().contains(live));
    answerAfter(10);

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1_501);
    List<UUID> arrived = arrivedAtCrm();
    Set<UUID> distinct = new HashSet<>(arrived);
    assertThat(distinct).hasSize(1_501).containsAll(history);
    assertThat(arrived.size() - distinct.size()).isLessThan(64);
    assertThat(arrived.indexOf(live)).as("what is live overtakes history").isLessThan(1_400);
  }

  private void answerAfter(long millis) {
    fleet.receivers.behave(
        "crm", (request, _) -> fleet.vertx.setTimer(millis, _ -> request.response().end()));
  }

  private List<UUID> arrivedAtCrm() {
    return fleet.receivers.arrivals("crm").stream().map(Arrival::captureId).toList();
  }

  private static List<UUID> expected(
      String receiver, Fleet.Provisioned endpoint, List<UUID> captures) {
    return receiver.startsWith("all")
        ? captures
        : captures.subList((int) endpoint.createdPosition(), captures.size());
  }
}
