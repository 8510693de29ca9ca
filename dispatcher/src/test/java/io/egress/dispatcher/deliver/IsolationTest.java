package io.egress.dispatcher.deliver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Receivers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** No endpoint delays another. */
@Isolated("the healthy ones must be done before the first attempt times out")
class IsolationTest {
  private static final int ENDPOINTS = 200;
  private static final int ROUNDS = 10;
  private static final int PARTITIONS = 4;

  private final Fleet fleet =
      new Fleet(Map.of("EGRESS_TOPIC_PARTITIONS", String.valueOf(PARTITIONS)));
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  /**
   * Each round comes after the healthy ones have got all of the one before: if any of them had to
   * wait for a hanging one, that one's attempt would have ended, after ten seconds.
   */
  @Test
  void letsHealthyEndpointsKeepTheirPaceWhileATenthHangs() {
    for (int i = 0; i < ENDPOINTS; i++) {
      fleet.endpoint(workspace, (isHanging(i) ? "hanging" : "healthy") + i);
    }
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    await().until(() -> fleet.receivers.count() == ENDPOINTS);
    for (int i = 0; i < ENDPOINTS; i++) {
      if (isHanging(i)) {
        fleet.receivers.behave("hanging" + i, Receivers.HANGING);
      }
    }

    for (int round = 1; round <= ROUNDS; round++) {
      int healthy = (1 + round) * (ENDPOINTS - ENDPOINTS / 10);
      fleet.captures(workspace, 1);
      await().pollInterval(Duration.ofMillis(10)).until(() -> healthyArrivals() == healthy);
    }

    assertThat(fleet.count("attempts where outcome = 'timeout'"))
        .as("all that while the hanging ones still hang")
        .isZero();
  }

  @Test
  void deliversToTheOneHealthyEndpointOfAPartition() {
    List<String> receivers = new ArrayList<>();
    while (receivers.size() < 31) {
      String receiver = "r" + receivers.size();
      Fleet.Provisioned endpoint = fleet.endpoint(workspace, receiver);
      if (partitionOf(endpoint.id()) == 0) {
        receivers.add(receiver);
      } else {
        fleet.delete(endpoint);
      }
    }
    fleet.dispatcher();
    fleet.captures(workspace, 20);
    await().until(() -> fleet.receivers.count() == 20 * receivers.size());
    String healthy = receivers.remove(0);
    receivers.forEach(receiver -> fleet.receivers.behave(receiver, Receivers.HANGING));

    fleet.captures(workspace, 300);

    await().until(() -> fleet.receivers.arrivals(healthy).size() == 320);
    assertThat(fleet.count("attempts where outcome = 'timeout'"))
        .as("nothing had to wait for a hanging one to be given up")
        .isZero();
  }

  private static boolean isHanging(int endpoint) {
    return endpoint % 10 == 0;
  }

  private static int partitionOf(UUID endpointId) {
    return BuiltInPartitioner.partitionForKey(endpointId.toString().getBytes(UTF_8), PARTITIONS);
  }

  private long healthyArrivals() {
    return fleet.receivers.arrivals().stream()
        .filter(arrival -> arrival.receiver().startsWith("healthy"))
        .count();
  }
}
