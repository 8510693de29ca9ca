package io.egress.dispatcher.reconcile;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.egress.delivery.Delivery;
import io.egress.delivery.Delivery.Origin;
import io.egress.deliverylog.DeliveryLog;
import io.egress.deliverylog.DeliveryState;
import io.egress.deliverylog.LogDays;
import io.egress.deliverylog.LogEntry;
import io.egress.deliverylog.MadeAttempt;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Records;
import io.egress.endpoint.DeliveryId;
import io.egress.endpoint.EndpointChange;
import io.egress.kafka.NeededTopic;
import io.egress.kafka.TopicAdmin;
import io.vertx.core.buffer.Buffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What is published again, and in which order. No dispatcher runs here. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class QueueRebuildTest {
  private static final Duration LOG_RETENTION = Duration.ofDays(30);

  private final Fleet fleet =
      new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "1m,1h", "EGRESS_TOPIC_PARTITIONS", "1"));
  private final LogDays days = new LogDays(Clock.systemUTC(), LOG_RETENTION);
  private final DeliveryLog log = new DeliveryLog(fleet.database, days);
  private final UUID workspace = UUID.randomUUID();
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void noRetryStandsBehindOneThatIsDueLater() {
    Fleet.Provisioned first = fleet.endpoint(workspace, "first");
    Fleet.Provisioned second = fleet.endpoint(workspace, "second");
    Fleet.Provisioned deleted = fleet.endpoint(workspace, "deleted");
    fleet.delete(deleted);
    List<UUID> captures = fleet.captures(workspace, 30);
    List<LogEntry> failed = new ArrayList<>();
    for (int i = 0; i < captures.size(); i++) {
      Duration due = Duration.ofSeconds(20).multipliedBy((i * 7L) % 30);
      failed.add(failed(first, captures.get(i), i + 1, now.plus(due).plusSeconds(30)));
      failed.add(failed(second, captures.get(i), i + 1, now.plus(due).plusSeconds(25)));
      failed.add(failed(deleted, captures.get(i), i + 1, now.plus(due)));
    }
    write(failed);

    rebuild();

    List<Delivery> within1m = Records.of(fleet, fleet.topics.retry("1m"));
    List<Delivery> within1h = Records.of(fleet, fleet.topics.retry("1h"));
    assertThat(within1m)
        .isSortedAccordingTo((a, b) -> a.dueAt().compareTo(b.dueAt()))
        .isNotEmpty()
        .allMatch(each -> !each.dueAt().isAfter(Instant.now().plusSeconds(60)));
    assertThat(within1h).isSortedAccordingTo((a, b) -> a.dueAt().compareTo(b.dueAt()));
    assertThat(Records.of(fleet, fleet.topics.deliveries())).isEmpty();
    assertThat(Stream.of(within1m, within1h).flatMap(Collection::stream))
        .containsExactlyInAnyOrderElementsOf(
            failed.stream()
                .filter(entry -> !entry.delivery().endpointId().equals(deleted.id()))
                .map(entry -> entry.delivery().next(due(entry)))
                .toList());
  }

  @Test
  void whatIsDueIsNotDelayedAndNothingWaitsLongerThanTheSchedule() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    List<UUID> captures = fleet.captures(workspace, 4);
    UUID replay = UUID.randomUUID();
    Delivery replayed =
        Delivery.replayed(replay, endpoint.id(), captures.get(0), 1, Origin.REPLAY, now);
    write(
        List.of(
            failed(endpoint, captures.get(0), 1, now.minusSeconds(1)),
            failed(endpoint, captures.get(1), 2, now.plus(Duration.ofHours(20))),
            new LogEntry(
                delivery(endpoint, captures.get(2), 3), DeliveryState.DELIVERED, made(), null),
            LogEntry.owed(replayed)));

    rebuild();

    assertThat(Records.of(fleet, fleet.topics.deliveries()))
        .extracting(Delivery::captureId, Delivery::attempt)
        .containsExactly(tuple(captures.get(3), 1), tuple(captures.get(0), 2));
    assertThat(Records.of(fleet, fleet.topics.backfill())).containsExactly(replayed);
    assertThat(Records.of(fleet, fleet.topics.retry("1h")))
        .singleElement()
        .satisfies(
            each -> assertThat(each.dueAt()).isBefore(Instant.now().plus(Duration.ofHours(1))));
  }

  @Test
  void ofAHistoryWhatWasPublishedAndOfAPausedEndpointAll() {
    fleet.captures(workspace, 10);
    Fleet.Provisioned history = fleet.endpoint(workspace, fleet.receivers.url("history"), true);
    Fleet.Provisioned paused = fleet.endpoint(workspace, "paused");
    fleet.change(paused, new EndpointChange(null, false, null, true));
    fleet.captures(workspace, 3);
    fleet.query("update backfills set next_position = 5");

    rebuild();

    assertThat(Records.of(fleet, fleet.topics.backfill()))
        .extracting(Delivery::position, Delivery::endpointId)
        .containsExactlyElementsOf(
            Stream.of(1L, 2L, 3L, 4L).map(position -> tuple(position, history.id())).toList());
    assertThat(Records.of(fleet, fleet.topics.deliveries()))
        .extracting(Delivery::endpointId)
        .containsOnly(history.id(), paused.id())
        .hasSize(6);
  }

  private static Instant due(LogEntry entry) {
    return requireNonNull(entry.nextAttemptAt());
  }

  private LogEntry failed(Fleet.Provisioned endpoint, UUID capture, long position, Instant next) {
    return new LogEntry(delivery(endpoint, capture, position), DeliveryState.PENDING, made(), next);
  }

  private Delivery delivery(Fleet.Provisioned endpoint, UUID capture, long position) {
    Instant owedAt =
        fleet
            .query("select entered_at from stream where capture_id = '" + capture + "'")
            .iterator()
            .next()
            .getOffsetDateTime(0)
            .toInstant();
    return Delivery.first(
        DeliveryId.of(endpoint.id(), capture),
        endpoint.id(),
        capture,
        position,
        Origin.LIVE,
        owedAt);
  }

  private MadeAttempt made() {
    return new MadeAttempt(now, Duration.ZERO, "status", 503, null, Buffer.buffer());
  }

  private void write(List<LogEntry> entries) {
    Fleet.await(days.maintain(fleet.database).compose(kept -> log.write(entries)));
  }

  private void rebuild() {
    Fleet.await(days.maintain(fleet.database));
    Fleet.await(
        TopicAdmin.ensure(
            fleet.vertx,
            fleet.settings.kafka(),
            Stream.of(
                    fleet.topics.deliveries(),
                    fleet.topics.backfill(),
                    fleet.topics.retry("1m"),
                    fleet.topics.retry("1h"))
                .map(NeededTopic::undelayed)
                .toList()));
    new QueueRebuild(
            fleet.database,
            fleet.publisher,
            fleet.topics,
            fleet.settings.dispatcher().retrySchedule(),
            LOG_RETENTION,
            Clock.systemUTC())
        .run();
  }
}
