package io.egress.dispatcher.reconcile;

import static java.util.Objects.requireNonNull;

import io.egress.delivery.Delivery;
import io.egress.delivery.Delivery.Origin;
import io.egress.dispatcher.reconcile.MissingDeliveries.Page;
import io.egress.dispatcher.reconcile.MissingDeliveries.Scope;
import io.egress.kafka.RecordPublisher;
import io.egress.kafka.RecordPublisher.Message;
import io.egress.kafka.Topics;
import io.egress.settings.Durations;
import io.egress.settings.RetrySchedule;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Publishes every delivery that is owed and not finished, from the database alone, after Kafka has
 * lost its records. If a record was not lost, Kafka has it twice; the second one finds the outcome
 * of the first.
 *
 * <p>First deliveries without an attempt come first: one that fails meanwhile is pending when the
 * pending ones are read.
 *
 * <p>Retries are published in the order in which they are due, each to the topic with the shortest
 * sufficient delay. A partition of a retry topic is read up to its first record that is not due, so
 * no record may be followed by one that is due earlier. Retries that dispatchers add to such a
 * topic from now on are due later than all of these.
 */
public final class QueueRebuild {
  private static final UUID BEFORE_ALL = new UUID(0, 0);
  private static final int ENDPOINTS_MAX = 1_000;

  /** A history is the backfill with its endpoint's id. */
  private static final String ENDPOINTS =
      """
      select e.id, e.workspace_id, greatest(e.created_position, r.position) as live_above,
        b.first_position, least(b.next_position - 1, b.last_position) as history_up_to, b.created_at as history_since
      from endpoints e
        left join reconciliations r on r.endpoint_id = e.id
        left join backfills b on b.id = e.id and b.created_at > now() - $2::bigint * interval '1 ms'
      where e.deleted_at is null and e.id > $1
      order by e.id limit %d
      """
          .formatted(ENDPOINTS_MAX);

  /** The progress; thread-safe. */
  public static final class Progress {
    private final AtomicLong endpoints = new AtomicLong();
    private final AtomicLong first = new AtomicLong();
    private final AtomicLong pending = new AtomicLong();

    private Progress() {}

    /** Endpoints whose part of the stream was compared with the delivery log. */
    public long endpoints() {
      return endpoints.get();
    }

    /** Published deliveries without an entry in the delivery log. */
    public long first() {
      return first.get();
    }

    /** Published deliveries that are pending in the delivery log: retries, and replays. */
    public long pending() {
      return pending.get();
    }
  }

  private record Walk(Scope scope, long above) {}

  private final Pool pool;
  private final RecordPublisher publisher;
  private final Topics topics;
  private final RetrySchedule schedule;
  private final Duration remembered;
  private final Clock clock;
  private final Progress progress = new Progress();

  /** {@code logRetention} is how long the delivery log is kept; older deliveries are unknown. */
  public QueueRebuild(
      Pool pool,
      RecordPublisher publisher,
      Topics topics,
      RetrySchedule schedule,
      Duration logRetention,
      Clock clock) {
    this.pool = requireNonNull(pool, "pool is null");
    this.publisher = requireNonNull(publisher, "publisher is null");
    this.topics = requireNonNull(topics, "topics is null");
    this.schedule = requireNonNull(schedule, "schedule is null");
    this.remembered = logRetention.minusDays(1);
    this.clock = requireNonNull(clock, "clock is null");
  }

  public Progress progress() {
    return progress;
  }

  /** Blocks until everything is acknowledged. After a failure it has to start over. */
  public void run() {
    publishFirst();
    publishPending();
  }

  private void publishFirst() {
    UUID after = BEFORE_ALL;
    int found;
    do {
      Deque<Walk> walks = new ArrayDeque<>();
      found = 0;
      for (Row row :
          pool.preparedQuery(ENDPOINTS).execute(Tuple.of(after, remembered.toMillis())).await()) {
        addWalks(row, walks);
        after = row.getUUID("id");
        found++;
      }
      walk(walks);
      progress.endpoints.addAndGet(found);
    } while (found == ENDPOINTS_MAX);
  }

  private void addWalks(Row row, Deque<Walk> walks) {
    UUID endpointId = row.getUUID("id");
    UUID workspaceId = row.getUUID("workspace_id");
    walks.add(
        new Walk(
            Scope.live(endpointId, workspaceId, remembered, Duration.ZERO),
            row.getLong("live_above")));
    if (row.getOffsetDateTime("history_since") != null) {
      walks.add(
          new Walk(
              Scope.history(
                  endpointId,
                  workspaceId,
                  row.getLong("history_up_to"),
                  row.getOffsetDateTime("history_since").toInstant()),
              row.getLong("first_position") - 1));
    }
  }

  /** One page of each endpoint in turn, so that no endpoint's backlog precedes all of another's. */
  private void walk(Deque<Walk> walks) {
    while (!walks.isEmpty()) {
      Walk walk = walks.remove();
      Page page = MissingDeliveries.above(pool, walk.scope(), walk.above()).await();
      publish(page.missing());
      progress.first.addAndGet(page.missing().size());
      if (!page.isLast()) {
        walks.add(new Walk(walk.scope(), page.reached()));
      }
    }
  }

  private void publishPending() {
    try (PendingDeliveries pending = PendingDeliveries.open(pool)) {
      List<Delivery> next = pending.next();
      while (!next.isEmpty()) {
        publish(next);
        progress.pending.addAndGet(next.size());
        next = pending.next();
      }
    }
  }

  private void publish(List<Delivery> deliveries) {
    Instant now = clock.instant();
    publisher.publish(deliveries.stream().map(each -> message(each, now)).toList()).await();
  }

  private Message message(Delivery delivery, Instant now) {
    Instant latest = now.plus(longestDelay());
    Delivery next = delivery.dueAt().isAfter(latest) ? delivery.postponed(latest) : delivery;
    return new Message(topic(next, now), next.endpointId().toString(), next.encode());
  }

  private String topic(Delivery delivery, Instant now) {
    if (!delivery.dueAt().isAfter(now)) {
      return delivery.origin() == Origin.LIVE ? topics.deliveries() : topics.backfill();
    }
    Duration wait = Duration.between(now, delivery.dueAt());
    Duration delay =
        schedule.delays().stream()
            .filter(each -> each.compareTo(wait) >= 0)
            .min(Duration::compareTo)
            .orElseThrow();
    return topics.retry(Durations.format(delay));
  }

  /** If the schedule was shortened since, a retry is made earlier than it was due. */
  private Duration longestDelay() {
    return schedule.delays().stream().max(Duration::compareTo).orElseThrow();
  }
}
