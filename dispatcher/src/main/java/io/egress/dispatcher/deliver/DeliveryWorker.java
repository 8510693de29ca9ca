package io.egress.dispatcher.deliver;

import io.egress.dispatcher.backfill.BackfillPublisher;
import io.egress.dispatcher.consume.CooperativeRangeAssignor;
import io.egress.dispatcher.consume.RecordConsumer;
import io.egress.dispatcher.consume.RecordConsumer.Subscription;
import io.egress.dispatcher.metrics.Stages;
import io.egress.dispatcher.metrics.WorkerStates;
import io.egress.dispatcher.supervise.MemberSupervisor.GroupMember;
import io.egress.webhook.queue.Topics;
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
 * One event loop's membership in the consumer group of the deliveries, and the timers that drive
 * its {@link DeliveryPipeline}. Partition i of every delivery topic belongs to the same worker, so
 * all deliveries, retries and history of an endpoint are processed here, and its limits need no
 * coordination.
 */
final class DeliveryWorker implements GroupMember, RecordConsumer.Reader {
  private static final Logger log = LoggerFactory.getLogger(DeliveryWorker.class);

  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration COMMIT_PERIOD = Duration.ofSeconds(1);

  /** How often to check for added partitions. */
  private static final Duration PARTITIONS_PERIOD = Duration.ofSeconds(5);

  /** Added to the time limit of a hand-over, for the work of the event loop. */
  private static final Duration HANDOVER_GRACE = Duration.ofSeconds(2);

  /** More are read once it is stored of these that their endpoints are behind. */
  private static final int FALLING_BEHIND_MAX = 4_096;

  /**
   * A resumed partition waits for the fetch in progress. A fetch is limited to a few hundred
   * records: all fetched records of a partition are read before those of the next one, so with
   * larger fetches the endpoints that get a capture would reach it at very different times and not
   * share its document.
   */
  private static final Map<String, String> FETCHES =
      Map.of("fetch.max.wait.ms", "100", "max.partition.fetch.bytes", "65536");

  private final Vertx vertx;
  private final WorkerSettings bounds;
  private final Set<String> subscribed;
  private final Clock clock;
  private final RecordConsumer consumer;
  private final BackfillPublisher backfills;
  private final DeliveryPipeline pipeline;
  private final OffsetCommits commits;
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
    this.workers = shared.workers();
    Topics topics = shared.topics();
    backfillTopic = topics.backfill();
    consumer =
        new RecordConsumer(
            vertx,
            shared.settings().kafka(),
            new Subscription(
                topics.dispatcherGroup(),
                CooperativeRangeAssignor.class,
                FETCHES,
                shared.supervision().restarts().replacedLately()),
            bounds.handoverPatience().plus(HANDOVER_GRACE),
            this);
    backfills =
        new BackfillPublisher(
            vertx,
            shared.pool(),
            shared.deliveryLog(),
            shared.publisher(),
            topics,
            bounds.backfill());
    pipeline = new DeliveryPipeline(vertx, shared, bounds, consumer, backfills);
    commits = new OffsetCommits(vertx, pipeline.workload(), consumer);
    observation = new Observation(pipeline, consumer, backfills, new Stages(topics));
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
        .compose(_ -> pipeline.handover().drain(consumer.assigned(), bounds.handoverPatience()))
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
      pipeline.handover().lose(consumer.assigned());
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
    if (pipeline.outcomes().pending() == 0 || System.nanoTime() - endNanos > 0) {
      pipeline.giveUp();
      return Future.succeededFuture();
    }
    return vertx.timer(TICK.toMillis(), TimeUnit.MILLISECONDS).compose(_ -> flushUntil(endNanos));
  }

  @Override
  public void assigned(Set<TopicPartition> partitions) {
    log.debug("{} partitions more", partitions.size());
    pipeline.workload().assign(partitions);
    ownBackfills();
    applyPauses();
  }

  @Override
  public Future<Map<TopicPartition, Long>> revoked(Set<TopicPartition> partitions) {
    log.debug("{} partitions less", partitions.size());
    pipeline.pauses().forget(partitions);
    ownBackfills();
    return pipeline.handover().drain(partitions, bounds.handoverPatience());
  }

  @Override
  public void lost(Set<TopicPartition> partitions) {
    if (!closing) {
      log.warn("{} partitions were lost to other workers", partitions.size());
    }
    pipeline.pauses().forget(partitions);
    ownBackfills();
    pipeline.handover().lose(partitions);
  }

  @Override
  public void read(ConsumerRecords<byte[], byte[]> records) {
    if (closing) {
      return;
    }
    pipeline.consume(records);
    applyPauses();
    pipeline.proceed();
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
      long stalledNanos = pipeline.stalledNanos();
      if (stalledNanos > bounds.stallTimeout().toNanos()) {
        stalled.accept(Duration.ofNanos(stalledNanos));
        return;
      }
      pipeline.park();
      pipeline.proceed();
    }
    applyPauses();
  }

  private void applyPauses() {
    Set<TopicPartition> assigned = consumer.assigned();
    boolean isHeldUp = closing || pipeline.fallingBehind() >= FALLING_BEHIND_MAX;
    consumer.pauseOnly(isHeldUp ? assigned : pipeline.pauses().current(assigned, clock.instant()));
  }

  private void everySecond() {
    if (!closing) {
      commits.commitDue();
    }
    workers.report(this, observation.now(clock.instant()));
  }
}
