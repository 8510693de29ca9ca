package io.egress.api.admin.deliveries;

import static java.util.Objects.requireNonNull;

import io.egress.api.call.HeavyWork;
import io.egress.platform.database.Rows;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.WorkerExecutor;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Compares the captures owed to an endpoint with the delivery log and with what is on its way. */
public final class Verifier {
  /** The most positions that one verification covers. */
  private static final int POSITIONS_MAX = 50_000;

  /** Retries are rarely made at the exact instant they are due. */
  private static final Duration LATE_MIN = Duration.ofMinutes(1);

  private static final String ERASED = "select capture_id from erasures where capture_id = any($1)";

  private final Pool pool;
  private final Clock clock;
  private final LoggedDeliveries log;
  private final OwedDeliveries owed;
  private final QueuedCaptures queued;
  private final HeavyWork heavy;

  /** {@code pool} and {@code executor} should be ones that nothing else waits for. */
  public Verifier(
      WorkerExecutor executor,
      Pool pool,
      LogDays days,
      Clock clock,
      KafkaSettings kafka,
      HeavyWork heavy) {
    this.pool = pool;
    this.heavy = heavy;
    this.clock = clock;
    this.log = new LoggedDeliveries(pool, days);
    this.owed = new OwedDeliveries(pool, log);
    this.queued = new QueuedCaptures(executor, pool, kafka);
  }

  /** Covers as many positions as one verification may, beginning with {@code from}. */
  public Verification verify(UUID workspaceId, Endpoint endpoint, long fromPosition) {
    return heavy.of(
        workspaceId,
        () -> {
          if (endpoint.paging().isStream()) {
            return StreamVerification.run(pool, workspaceId, endpoint, fromPosition, POSITIONS_MAX);
          }
          OwedScope scope = owed.scope(workspaceId, List.of(endpoint), DeliveryFilter.EVERYTHING);
          return new Run(scope, endpoint, fromPosition).run();
        });
  }

  private final class Run {
    private final OwedScope scope;
    private final Endpoint endpoint;
    private final Verification result;
    private final Instant overdueSince = clock.instant().minus(LATE_MIN);

    /** The captures with deliveries that are either on their way or missing. */
    private final List<LoggedDelivery> unknown = new ArrayList<>();

    /** The captures whose deliveries have all ended without success; not counted yet. */
    private final Map<UUID, DeliveryState> undelivered = new HashMap<>();

    private Run(OwedScope scope, Endpoint endpoint, long fromPosition) {
      this.scope = scope;
      this.endpoint = endpoint;
      long from = Math.max(fromPosition, endpoint.owed().firstPosition());
      long to = Math.min(scope.high(), from + POSITIONS_MAX - 1);
      this.result = new Verification(from, to, to < scope.high() ? to + 1 : null);
    }

    private Verification run() {
      long step = DeliverySearch.LOOKED_UP_MAX;
      for (long from = result.fromPosition(); from <= result.toPosition(); from += step) {
        read(from, Math.min(result.toPosition(), from + step - 1));
      }
      if (!unknown.isEmpty()) {
        // Looked up again: some may have got an outcome while the queues were read.
        QueuedCaptures.Found found = queued.find(scope.workspaceId(), endpoint);
        judge(unknown, result.fromPosition() - 1, result.toPosition(), found);
      }
      return result;
    }

    private void read(long from, long to) {
      OwedScope part = new OwedScope(scope.workspaceId(), scope.endpoints(), from - 1, to);
      OwedDeliveries.Window window = owed.newest(part, DeliverySearch.LOOKED_UP_MAX);
      List<LoggedDelivery> first = window.owed();
      for (long i = first.size() + (long) window.unwanted(); i <= to - from; i++) {
        result.countForgotten();
      }
      judge(first, from - 1, to, null);
    }

    /** {@code found} is null before the queues were read: what depends on them is put off. */
    private void judge(
        List<LoggedDelivery> first, long above, long upTo, QueuedCaptures.@Nullable Found found) {
      List<LoggedDelivery> completed = log.complete(first).await();
      Map<UUID, List<LoggedDelivery>> again =
          log.replayed(List.of(endpoint.id()), above, upTo).await().stream()
              .collect(Collectors.groupingBy(LoggedDelivery::captureId));
      completed.forEach(
          each -> judge(each, again.getOrDefault(each.captureId(), List.of()), found));
      countUndelivered();
    }

    private void countUndelivered() {
      Set<UUID> erased = new HashSet<>();
      UUID[] captureIds = undelivered.keySet().toArray(UUID[]::new);
      Rows.of(pool, ERASED, (Object) captureIds)
          .forEach(row -> erased.add(row.getUUID("capture_id")));
      undelivered.forEach((captureId, state) -> {
        if (erased.contains(captureId)) {
          result.countErased();
        } else {
          result.count(state);
        }
      });
      undelivered.clear();
    }

    private void judge(
        LoggedDelivery first, List<LoggedDelivery> again, QueuedCaptures.@Nullable Found found) {
      List<LoggedDelivery> known = new ArrayList<>(again);
      if (first.updatedAt() != null) {
        known.add(first);
      }
      DeliveryState state =
          known.isEmpty() ? DeliveryState.PENDING : LoggedDelivery.together(known);
      boolean open =
          state == DeliveryState.PENDING
              && known.stream()
                  .filter(each -> each.state() == DeliveryState.PENDING)
                  .allMatch(this::isOverdue);
      List<LoggedDelivery> overdueReplays = again.stream().filter(this::isOverdue).toList();
      if (found == null && (open || !overdueReplays.isEmpty())) {
        unknown.add(first);
        return;
      }
      if (found != null) {
        overdueReplays.stream()
            .filter(each -> !found.mayHold(each.id()))
            .forEach(_ -> result.countMissingReplay());
      }
      if (open) {
        countOpen(first, requireNonNull(found, "found is null"));
        return;
      }
      if (state.isReplayable()) {
        undelivered.put(first.captureId(), state);
      } else {
        result.count(state);
      }
    }

    private void countOpen(LoggedDelivery first, QueuedCaptures.Found found) {
      if (found.mayHold(first.captureId(), first.position())) {
        result.count(DeliveryState.PENDING);
      } else {
        result.countMissing(first.captureId());
      }
    }

    /**
     * The next attempt is overdue; Kafka may have lost its record. A replay's first attempt is due
     * at once.
     */
    private boolean isOverdue(LoggedDelivery delivery) {
      Instant due = delivery.nextAttemptAt();
      Instant since = due == null ? delivery.updatedAt() : due;
      return delivery.state() == DeliveryState.PENDING
          && since != null
          && since.isBefore(overdueSince);
    }
  }
}
