package io.egress.dispatcher.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Records;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Records that expire before a dispatcher has read them. */
@Execution(ExecutionMode.CONCURRENT)
class ReconcilerTest {

  private final Fleet fleet = new Fleet(Map.of("reconcile-after", "1s"));
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void whatKafkaHasForgottenIsDeliveredFromTheStream() {
    List<UUID> history = fleet.captures(workspace, 3);
    fleet.endpoint(workspace, "crm");
    List<UUID> owed = fleet.captures(workspace, 20);
    Records.delete(fleet, fleet.topics.capturesProcessed());

    fleet.dispatcher();

    await().until(() -> arrived().containsAll(owed));
    assertThat(arrived()).doesNotContainAnyElementsOf(history);
    await().until(() -> fleet.count("reconciliations where position = 23") == 1);
    assertThat(fleet.count("deliveries where state = 'delivered'")).isEqualTo(20);
    assertThat(fleet.count("attempts")).as("found again is not sent twice").isEqualTo(20);
  }

  private Set<UUID> arrived() {
    return fleet.receivers.arrivals().stream().map(Arrival::captureId).collect(Collectors.toSet());
  }
}
