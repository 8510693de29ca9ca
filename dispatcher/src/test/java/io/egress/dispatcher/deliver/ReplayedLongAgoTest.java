package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Fleet;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.endpoint.NewEndpoint;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Who got a capture by a replay is sent its changes, too, when only receipts know of it. */
@Execution(ExecutionMode.CONCURRENT)
class ReplayedLongAgoTest {
  private final Fleet fleet = new Fleet();
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void changesFollowTheReplay() {
    List<UUID> captures = fleet.captures(workspace, 6);
    Fleet.Provisioned replayed = following("replayed");
    following("late");
    fleet.dispatcher();
    UUID replay = fleet.replay(replayed, 1, 4, false);
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 4);
    await().until(() -> isFinished(replay));
    dropTheLog();

    fleet.revise(workspace, captures.get(1), "corrected");
    erase(captures.get(2));
    erase(captures.get(5));

    await().until(() -> fleet.receivers.arrivals("replayed").size() == 6);
    assertThat(events("replayed").subList(4, 6))
        .containsExactlyInAnyOrder(
            "capture.updated " + captures.get(1), "capture.erased " + captures.get(2));
    await().until(() -> fleet.count("unfinished_backfills") == 0);
    assertThat(events("replayed")).hasSize(6);
    assertThat(events("late")).as("it never got any of them").isEmpty();
  }

  /** As with a filter, whose captures are far apart, so that receipts have many parts. */
  @Test
  void replaysThatAreNoLongerListedCount() {
    List<UUID> captures = fleet.captures(workspace, 2);
    Fleet.Provisioned replayed = following("replayed");
    fleet.dispatcher();
    UUID replay = fleet.redelivery(replayed, 1);
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1);
    await().until(() -> isFinished(replay));
    dropTheLog();
    fleet.query("update endpoints set replayed = '{[1,2)}'");
    fleet.query("delete from backfills");

    erase(captures.get(0));
    erase(captures.get(1));

    await().until(() -> fleet.receivers.arrivals("replayed").size() == 2);
    await().until(() -> fleet.count("unfinished_backfills") == 0);
    assertThat(events("replayed").getLast()).isEqualTo("capture.erased " + captures.get(0));
  }

  private Fleet.Provisioned following(String receiver) {
    return fleet.endpoint(
        workspace,
        new NewEndpoint(
            Fleet.spec(
                fleet.receivers.url(receiver), Map.of("events", Set.copyOf(Event.OF_CAPTURES))),
            false));
  }

  private List<String> events(String receiver) {
    return fleet.receivers.arrivals(receiver).stream()
        .map(arrival -> arrival.event() + " " + arrival.captureId())
        .toList();
  }

  private boolean isFinished(UUID replay) {
    return fleet.count("backfills where finished_at is not null and id = '%s'".formatted(replay))
        == 1;
  }

  /** Receipts remain. */
  private void dropTheLog() {
    fleet.query(
        """
        insert into receipts (endpoint_id, day, delivered, updated, erased)
        select endpoint_id, day - 40, range_agg(int8range(position, position, '[]')), '{}', '{}'
        from deliveries where state = 'delivered' group by 1, 2;
        delete from attempts;
        delete from deliveries
        """);
  }

  private void erase(UUID capture) {
    fleet.query("select erase_capture('%s', null, 'requested')".formatted(capture));
  }
}
