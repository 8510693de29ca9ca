package io.egress.dispatcher.deliver;

import io.egress.dispatcher.backfill.BackfillPublisher;
import io.egress.dispatcher.consume.CooperativeRangeAssignor;
import io.egress.dispatcher.consume.RecordConsumer;
import io.egress.dispatcher.consume.RecordConsumer.Subscription;
import io.egress.dispatcher.documents.CurrentDocuments;
import io.egress.dispatcher.durable.DurableBatches;
import io.egress.dispatcher.durable.DurableBatches.Medium;
import io.egress.dispatcher.metrics.Stages;
import io.egress.dispatcher.metrics.WorkerStates;
import io.egress.dispatcher.supervise.MemberSupervisor.GroupMember;
import io.egress.platform.flow.ByteBudget;
import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.settings.Settings;
import io.egress.webhook.backfill.CatchUps;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.RetrySchedule;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.deliverylog.LogEntry;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.queue.Topics;
import io.egress.webhook.turn.TurnEnds;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One event loop's membership in the consumer group of the {@link Deliveries}, and the timers that
 * drive them. Partition i of every delivery topic belongs to the same worker, so all deliveries,
 * retries and history of an endpoint are processed here, and its limits need no coordination.
 */
final class DeliveryWorker implements GroupMember, RecordConsumer.Reader {
  private static final Logger log = LoggerFactory.getLogger(DeliveryWorker.class);

  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration COMMIT_PERIOD = Duration.ofSeconds(1);

  /** How often to check for added partitions. */
  private static final Duration PARTITIONS_PERIOD = Duration.ofSeconds(5);

  /** Added to the time limit of a hand-over, for the work of the event loop. */
  private static final Duration HANDOVER_GRACE = Duration.ofSeconds(2);

  /** A partition is read only while its ledger has room for this many records. */
  private static final int ROOM_MIN = 1_000;

  private static final int ENVELOPES_WAITING_MAX = 100_000;

  /** More than the concurrent queries. */
  private static final int QUERIES_WAITING_MAX = 16;

  /** More are read once it is stored of these that their endpoints are behind. */
  private static final int FALLING_BEHIND_MAX = 4_096;

  private static final Duration RECORDS_APART = Duration.ZERO;

  /**
   * A resumed partition waits for the fetch in progress. A fetch is limited to a few hundred
   * records: all fetched records of a partition are read before those of the next one, so with
   * larger fetches the endpoints that get a capture would reach it at very different times and not
   * share its document.
   */
  private static final Map<String, String> FETCHES =
      Map.of("fetch.max.wait.ms", "100", "max.partition.fetch.bytes", "65536");

  /** Only the commit of its record waits for an outcome to be written. */
  private static final Duration OUTCOMES_APART = Duration.ofMillis(15);

  private final Vertx vertx;
  private final WorkerSettings bounds;
  private final Set<String> subscribed;
  private final Clock clock;
  private final Workload workload;
  private final Pauses pauses;
  private final Handover handover;
  private final OutcomeRecorder outcomes;
  private final Deliveries deliveries;
  private final RecordConsumer consumer;
  private final OffsetCommits commits;
  private final BackfillPublisher backfills;
  private final WorkerStates workers;
  private final Observation observation;
  private final String backfillTopic;
  private final Consumer<Duration> stalled;
  private long tickTimer;
  private long commitTimer;
  private long partitionsTimer;
  private boolean closing;

  /**
   * {@code stalled} is called, possibly repeatedly, with the time for which PostgreSQL or Kafka has
   * not answered.
   */
  DeliveryWorker(
      Vertx vertx,
      DeliveryVerticle.Dependencies shared,
      WorkerSettings bounds,
      Set<String> subscribed,
      Consumer<Duration> stalled) {
    this.vertx = vertx;
    this.bounds = bounds;
    this.subscribed = subscribed;
    this.stalled = stalled;
    this.clock = shared.clock();
    Settings settings = shared.settings();
    Topics topics = new Topics(settings.kafka().topicPrefix());
    workload =
        new Workload(bounds.lanes(), bounds.spanMax(), System::nanoTime, topics.deliveries());
    pauses = new Pauses(workload, topics, Math.min(ROOM_MIN, bounds.spanMax()));
    handover = new Handover(vertx, workload);
    DeliveryLog deliveryLog = new DeliveryLog(shared.pool(), shared.days());
    outcomes = outcomes(shared, topics, deliveryLog);
    consumer = consumer(shared, topics);
    commits = new OffsetCommits(vertx, workload, consumer);
    deliveries = deliveries(shared, topics, deliveryLog);
    backfillTopic = topics.backfill();
    backfills =
        new BackfillPublisher(
            vertx, shared.pool(), deliveryLog, shared.publisher(), topics, bounds.backfill());
    workers = shared.workers();
    observation =
        new Observation(
            new Observation.Worker(workload, pauses, outcomes, consumer, backfills),
            new Stages(topics));
  }

  private RecordConsumer consumer(DeliveryVerticle.Dependencies shared, Topics topics) {
    return new RecordConsumer(
        vertx,
        shared.settings().kafka(),
        new Subscription(
            topics.dispatcherGroup(),
            CooperativeRangeAssignor.class,
            FETCHES,
            shared.supervision().restarts().replacedLately()),
        bounds.handoverPatience().plus(HANDOVER_GRACE),
        this);
  }

  private Preparation preparation(DeliveryVerticle.Dependencies shared, DeliveryLog deliveryLog) {
    long documentBytesMax = bounds.documentBytesMax();
    return new Preparation(
        shared.pool(),
        deliveryLog,
        new CurrentDocuments(vertx, shared.documents(), shared.heads()),
        new ByteBudget(vertx, documentBytesMax, QUERIES_WAITING_MAX),
        documentBytesMax / 4 * 3);
  }

  private Deliveries deliveries(
      DeliveryVerticle.Dependencies shared, Topics topics, DeliveryLog deliveryLog) {
    return new Deliveries(
        vertx,
        clock,
        new Deliveries.Dependencies(
            topics,
            consumer,
            workload,
            pauses,
            preparation(shared, deliveryLog),
            new Destinations(
                shared.secrets(), shared.settings().push().allowHttpEndpoints(), shared.sender()),
            new ByteBudget(vertx, bounds.envelopeBytesMax(), ENVELOPES_WAITING_MAX),
            outcomes,
            commits,
            new CatchUps(shared.pool()),
            () -> backfills.fellBehind(),
            shared.meters(),
            shared.failing(),
            bounds.unwrittenMax(),
            shared.supervision().database()));
  }

  private OutcomeRecorder outcomes(
      DeliveryVerticle.Dependencies shared, Topics topics, DeliveryLog deliveryLog) {
    RecordPublisher publisher = shared.publisher();
    DurableBatches<Message> records =
        new DurableBatches<>(
            vertx,
            new Medium<>(
                "delivery records", message -> message, publisher::publish, RECORDS_APART));
    DurableBatches<LogEntry> entries =
        new DurableBatches<>(
            vertx,
            new Medium<>(
                "outcomes", entry -> entry.delivery().id(), deliveryLog::write, OUTCOMES_APART));
    RetrySchedule schedule = shared.settings().dispatcher().retrySchedule();
    TurnRecorder turns =
        new TurnRecorder(
            vertx,
            topics,
            schedule,
            clock,
            new TurnEnds(shared.pool(), shared.days())::write,
            records,
            this::finished);
    return new OutcomeRecorder(
        topics,
        schedule,
        clock,
        records,
        entries,
        turns,
        new OutcomeRecorder.Ends(
            this::finished,
            delivery -> backfills.settled(delivery),
            this::toBeRetried,
            (job, startedAt, failed) -> {
              EndpointTarget target = job.target();
              if (target != null && failed.kind().isOfEndpoint()) {
                shared.failing().exhausted(target, startedAt, failed);
              }
            },
            shared.meters()));
  }

  @Override
  public Future<Void> start() {
    tickTimer = vertx.setPeriodic(TICK.toMillis(), tick -> tick());
    commitTimer = vertx.setPeriodic(COMMIT_PERIOD.toMillis(), _ -> everySecond());
    partitionsTimer = vertx.setPeriodic(PARTITIONS_PERIOD.toMillis(), _ -> noticeNewPartitions());
    backfills.start();
    return consumer.subscribe(subscribed);
  }

  /** Drains and commits while it is still a member of its group, and then leaves. */
  @Override
  public Future<Void> close() {
    closing = true;
    vertx.cancelTimer(partitionsTimer);
    applyPauses();
    return backfills
        .close()
        .compose(_ -> handover.drain(consumer.assigned(), bounds.handoverPatience()))
        .compose(commits::commitAtLast)
        .eventually(consumer::close)
        .onComplete(_ -> {
          vertx.cancelTimer(tickTimer);
          vertx.cancelTimer(commitTimer);
          workers.forget(this);
        });
  }

  /**
   * Leaves the group immediately: attempts are aborted, and nothing is committed. Known outcomes
   * are still written.
   */
  @Override
  public Future<Void> release() {
    closing = true;
    List.of(tickTimer, commitTimer, partitionsTimer).forEach(vertx::cancelTimer);
    workers.forget(this);
    var _ = backfills.close();
    try {
      handover.lose(consumer.assigned());
    } catch (RuntimeException alsoBroken) {
      log.error("Cannot release a failed worker in order", alsoBroken);
    }
    return consumer.close();
  }

  /**
   * Completes when the outcomes known at the {@link #release} are written, so that their attempts
   * are not repeated, or after {@code max}.
   */
  @Override
  public Future<Void> flush(Duration max) {
    return flushUntil(System.nanoTime() + max.toNanos());
  }

  private Future<Void> flushUntil(long endNanos) {
    if (outcomes.pending() == 0 || System.nanoTime() - endNanos > 0) {
      outcomes.giveUp();
      deliveries.giveUp();
      return Future.succeededFuture();
    }
    return vertx.timer(TICK.toMillis(), TimeUnit.MILLISECONDS).compose(_ -> flushUntil(endNanos));
  }

  @Override
  public void assigned(Set<TopicPartition> partitions) {
    log.debug("{} partitions more", partitions.size());
    workload.assign(partitions);
    ownBackfills();
    applyPauses();
  }

  @Override
  public Future<Map<TopicPartition, Long>> revoked(Set<TopicPartition> partitions) {
    log.debug("{} partitions less", partitions.size());
    pauses.forget(partitions);
    ownBackfills();
    return handover.drain(partitions, bounds.handoverPatience());
  }

  @Override
  public void lost(Set<TopicPartition> partitions) {
    if (!closing) {
      log.warn("{} partitions were lost to other workers", partitions.size());
    }
    pauses.forget(partitions);
    ownBackfills();
    handover.lose(partitions);
  }

  @Override
  public void read(ConsumerRecords<byte[], byte[]> records) {
    if (closing) {
      return;
    }
    deliveries.consume(records);
    applyPauses();
    deliveries.proceed();
  }

  private void finished(Job job) {
    deliveries.finished(job);
    handover.check();
  }

  /** A catch-up does not wait for retries: an endpoint may refuse some of what it is sent. */
  private void toBeRetried(Delivery delivery) {
    if (delivery.origin() == Delivery.Origin.LIVE) {
      backfills.settled(delivery);
    }
  }

  private void ownBackfills() {
    backfills.own(
        consumer.assigned().stream()
            .filter(partition -> partition.topic().equals(backfillTopic))
            .map(TopicPartition::partition)
            .collect(Collectors.toSet()));
  }

  /**
   * Only with partitions assigned: without, the call would query the brokers and delay the poll.
   */
  private void noticeNewPartitions() {
    if (!consumer.assigned().isEmpty()) {
      consumer
          .partitions(backfillTopic)
          .onSuccess(backfills::spreadOver)
          .onFailure(failure -> log.debug("the partitions were not counted", failure));
    }
  }

  @Override
  public void failed(Throwable failure) {
    throw new IllegalStateException("the delivery topics cannot be read", failure);
  }

  private void tick() {
    if (!closing) {
      long stalledNanos = deliveries.stalledNanos();
      if (stalledNanos > bounds.stallTimeout().toNanos()) {
        stalled.accept(Duration.ofNanos(stalledNanos));
        return;
      }
      deliveries.park();
      deliveries.proceed();
    }
    applyPauses();
  }

  private void applyPauses() {
    Set<TopicPartition> assigned = consumer.assigned();
    boolean isHeldUp = closing || deliveries.fallingBehind() >= FALLING_BEHIND_MAX;
    consumer.pauseOnly(isHeldUp ? assigned : pauses.current(assigned, clock.instant()));
  }

  private void everySecond() {
    if (!closing) {
      deliveries.commit();
    }
    workers.report(this, observation.now(clock.instant()));
  }
}
