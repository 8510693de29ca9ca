package io.egress.dispatcher.reconcile;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Records;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.kafka.NeededTopic;
import io.egress.platform.kafka.TopicAdmin;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LogEntry;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.queue.Rebuild;
import io.egress.webhook.queue.RebuildStore;
import io.egress.webhook.send.Exchanged;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What is published again, and in which order. No dispatcher runs here. */
@Execution(ExecutionMode.CONCURRENT)
class QueueRebuildTest {
  private static final Duration LOG_RETENTION = Duration.ofDays(30);

  private final Fleet fleet =
      new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "1m,1h", "EGRESS_TOPIC_PARTITIONS", "1"));
  private final LogDays days = new LogDays(Clock.systemUTC(), LOG_RETENTION);
  private final DeliveryLog log = new DeliveryLog(fleet.database, days);
  private final UUID workspace = UUID.randomUUID();
  private @Nullable QueueRebuild running;
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

  @AfterEach
  void close() {
    if (running != null) {
      running.close();
    }
    fleet.close();
  }

  @Test
  void retriesArePublishedWhenTheyAreDueAndNotBefore() {
    Fleet.Provisioned first = fleet.endpoint(workspace, "first");
    Fleet.Provisioned second = fleet.endpoint(workspace, "second");
    List<UUID> captures = fleet.captures(workspace, 12);
    Instant soon = Instant.now().plusSeconds(6).truncatedTo(ChronoUnit.MILLIS);
    List<LogEntry> overdue = new ArrayList<>();
    List<LogEntry> due = new ArrayList<>();
    for (int i = 0; i < captures.size(); i++) {
      overdue.add(failed(first, captures.get(i), i + 1, now.minusSeconds((i * 7) % 12)));
      due.add(failed(second, captures.get(i), i + 1, i == 0 ? soon.plusSeconds(3600) : soon));
    }
    write(overdue);
    write(due);

    rebuild();

    await().until(() -> state().equals("waiting"));
    List<Delivery> published = Records.of(fleet, fleet.topics.backfill());
    if (Instant.now().isBefore(soon)) {
      assertThat(published)
          .as("in the order in which they are due")
          .containsExactlyElementsOf(
              overdue.stream()
                  .map(entry -> entry.delivery().next(due(entry)))
                  .sorted(Comparator.comparing(Delivery::dueAt).thenComparing(Delivery::id))
                  .toList());
    }
    await().until(() -> Records.of(fleet, fleet.topics.backfill()).size() == overdue.size() + 11);
    assertThat(Instant.now()).isAfter(soon);
    assertThat(state()).isEqualTo("waiting");
    assertThat(Records.of(fleet, fleet.topics.retry("1h"))).isEmpty();
  }

  @Test
  void whatIsOverNeedsNoRecordAndWhatEndpointsThatAreGoneOweEnds() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    Fleet.Provisioned deleted = fleet.endpoint(workspace, "deleted");
    List<UUID> captures = fleet.captures(workspace, 4);
    fleet.delete(deleted);
    Delivery replayed =
        Delivery.replayed(UUID.randomUUID(), endpoint.id(), captures.get(0), 1, Origin.REPLAY, now);
    LogEntry ofDeleted = failed(deleted, captures.get(0), 1, now.minusSeconds(1));
    write(
        List.of(
            failed(endpoint, captures.get(0), 1, now.minusSeconds(1)),
            new LogEntry(
                delivery(endpoint, captures.get(2), 3), DeliveryState.DELIVERED, made(), null),
            ofDeleted,
            LogEntry.owed(replayed)));

    rebuild();

    await().until(() -> state().equals("finished"));
    assertThat(Records.of(fleet, fleet.topics.backfill()))
        .extracting(
            Delivery::endpointId, Delivery::captureId, Delivery::replayId, Delivery::attempt)
        .containsExactlyInAnyOrder(
            tuple(endpoint.id(), captures.get(1), null, 1),
            tuple(endpoint.id(), captures.get(3), null, 1),
            tuple(endpoint.id(), captures.get(0), null, 2),
            tuple(deleted.id(), captures.get(0), null, 2),
            tuple(endpoint.id(), captures.get(0), replayed.replayId(), 1));
  }

  /** Two processes share the work, and a third one continues it after both were killed. */
  @Test
  @Tag("full")
  void processesShareARebuildAndNothingIsPublishedTwice() {
    for (int i = 0; i < 20; i++) {
      fleet.endpoint(workspace, "r" + i);
    }
    fleet.captures(workspace, 5);

    rebuild();
    QueueRebuild other = started();

    await().until(() -> state().equals("finished"));
    assertThat(Records.of(fleet, fleet.topics.backfill())).hasSize(100).doesNotHaveDuplicates();
    await().until(() -> !other.isRunning() && !isRunning());
    other.close();
  }

  @Test
  void ofAHistoryWhatWasPublishedAndOfAPausedEndpointAll() {
    fleet.captures(workspace, 10);
    Fleet.Provisioned history = fleet.endpoint(workspace, fleet.receivers.url("history"), true);
    Fleet.Provisioned paused = fleet.endpoint(workspace, "paused");
    fleet.change(paused, EndpointChange.pausing(true));
    fleet.captures(workspace, 3);
    fleet.query("update backfills set next_position = 5");

    rebuild();

    await().until(() -> state().equals("finished"));
    List<Delivery> published = Records.of(fleet, fleet.topics.backfill());
    assertThat(published)
        .filteredOn(each -> each.origin() == Origin.BACKFILL)
        .extracting(Delivery::position, Delivery::endpointId)
        .containsExactlyElementsOf(
            Stream.of(1L, 2L, 3L, 4L).map(position -> tuple(position, history.id())).toList());
    assertThat(published)
        .filteredOn(each -> each.origin() == Origin.LIVE)
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
    return new MadeAttempt(now, Duration.ZERO, "status", 503, null, null, Exchanged.NOTHING);
  }

  private void write(List<LogEntry> entries) {
    new LogMaintenance(fleet.database, days).run();
    Fleet.await(log.write(entries));
  }

  private void rebuild() {
    new LogMaintenance(fleet.database, days).run();
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
    Rebuild begun =
        Transactions.callOnce(
            fleet.database,
            tx -> RebuildStore.begin(tx, Rebuild.Reason.REQUESTED, List.of(), Caller.SYSTEM));
    assertThat(begun.state().word()).isEqualTo("requested");
    running = started();
  }

  private QueueRebuild started() {
    return new QueueRebuild(
        fleet.vertx,
        fleet.database,
        new Republisher(
            fleet.publisher, fleet.topics, new SimpleMeterRegistry().counter("published")),
        LOG_RETENTION);
  }

  private String state() {
    return RebuildStore.newest(fleet.database).orElseThrow().state().word();
  }

  private boolean isRunning() {
    return running != null && running.isRunning();
  }
}
