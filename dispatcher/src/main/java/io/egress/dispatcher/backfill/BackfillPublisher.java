package io.egress.dispatcher.backfill;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.outage.Outage;
import io.egress.webhook.backfill.OpenBackfills;
import io.egress.webhook.backfill.OpenBackfills.Open;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.queue.Topics;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the histories, replays and catch-ups of the endpoints whose partition of the backfill
 * topic the worker owns. Used on one event loop.
 *
 * <p>Around a rebalance two workers may publish the same backfill, and a crash may repeat a batch:
 * the deliveries are the same, ids included.
 */
public final class BackfillPublisher {
  private static final Logger log = LoggerFactory.getLogger(BackfillPublisher.class);

  /** By then every client of every process knows the new number of partitions. */
  private static final Duration SPREADING_MAX = Duration.ofSeconds(30);

  /** In a row, until the next period. */
  private static final int FAILURES_MAX = 4;

  private static final int SEEN_AT_ONCE_MAX = 1_000;
  private static final int READY_MAX = 10_000;

  private final Vertx vertx;
  private final BackfillSettings settings;
  private final OpenBackfills store;
  private final Pump pump;
  private final Allowance allowance;
  private final RoundRobin roundRobin;
  private final Outage lookingFor =
      new Outage(
          log, "Cannot read which backfills to send; retrying", "Backfills to send are read again");
  private final Outage sending =
      new Outage(log, "Cannot publish a backfill; retrying", "Backfills are published again");
  private final Promise<Void> closed = Promise.promise();

  private Set<Integer> owned = Set.of();
  private int partitions;
  private Open seen = Open.BEFORE_ALL;
  private long timer;
  private boolean running;
  private boolean closing;
  private boolean looking;
  private boolean inTurn;
  private int failuresInARow;

  public BackfillPublisher(
      Vertx vertx,
      Pool pool,
      DeliveryLog deliveryLog,
      RecordPublisher publisher,
      Topics topics,
      BackfillSettings settings) {
    this.vertx = vertx;
    this.settings = settings;
    this.partitions = settings.partitions();
    this.store = new OpenBackfills(pool);
    this.pump = new Pump(store, deliveryLog, publisher, topics.backfill(), () -> closing);
    this.allowance = new Allowance(settings);
    this.roundRobin = new RoundRobin(allowance, settings.aheadMax());
  }

  public void start() {
    if (running || closing) {
      throw new IllegalStateException("started before");
    }
    running = true;
    timer = vertx.setPeriodic(settings.period().toMillis(), _ -> periodPassed());
    look();
  }

  /** Replaces the owned partitions, and forgets the backfills of all others. */
  public void own(Set<Integer> partitions) {
    boolean more = !owned.containsAll(partitions);
    owned = Set.copyOf(partitions);
    roundRobin.keepOnly(owned);
    if (more) {
      seen = Open.BEFORE_ALL;
      look();
    }
    serve();
  }

  /**
   * The topic has more partitions, so endpoints may belong to other workers. Forgets unfinished
   * deliveries, which may finish at another worker, and again when no client uses the old number
   * any more.
   */
  public void spreadOver(int newPartitions) {
    if (newPartitions == partitions || newPartitions < 1) {
      return;
    }
    log.info("Publishing backfills to {} partitions instead of {}", newPartitions, partitions);
    partitions = newPartitions;
    beginAnew();
    vertx.setTimer(SPREADING_MAX.toMillis(), _ -> beginAnew());
  }

  /** Endpoints that this worker owns have fallen behind. */
  public void fellBehind() {
    seen = Open.BEFORE_ALL;
    look();
  }

  /**
   * The delivery is finished; one that is live, attempted. Must also be called for a repeated
   * record whose delivery had finished before; otherwise it would count as unfinished forever.
   */
  public void settled(Delivery delivery) {
    if (roundRobin.settled(delivery)) {
      serve();
    }
  }

  /** Deliveries that are published or being published and not finished. */
  public int ahead() {
    return allowance.ahead();
  }

  /** Endpoints that are behind, or were a moment ago. */
  public int catchUps() {
    return roundRobin.catchUps();
  }

  /** Finishes the batch in progress, stores its progress, and begins no other. */
  public Future<Void> close() {
    if (running) {
      vertx.cancelTimer(timer);
    }
    running = false;
    closing = true;
    completeCloseIfIdle();
    return closed.future();
  }

  private void periodPassed() {
    failuresInARow = 0;
    roundRobin.periodPassed();
    look();
    serve();
  }

  private void beginAnew() {
    roundRobin.keepOnly(Set.of());
    seen = Open.BEFORE_ALL;
    look();
  }

  private void look() {
    if (!running || looking || owned.isEmpty() || roundRobin.readyCount() >= READY_MAX) {
      return;
    }
    looking = true;
    store.open(seen, SEEN_AT_ONCE_MAX).onComplete(this::looked);
  }

  private void looked(AsyncResult<List<Open>> result) {
    looking = false;
    if (result.succeeded()) {
      lookingFor.worked();
      List<Open> open = result.result();
      seen = open.size() < SEEN_AT_ONCE_MAX ? Open.BEFORE_ALL : open.getLast();
      open.forEach(this::addIfOwned);
      serve();
    } else {
      lookingFor.failed(result.cause());
    }
    completeCloseIfIdle();
  }

  private void addIfOwned(Open backfill) {
    byte[] key = backfill.endpointId().toString().getBytes(UTF_8);
    int partition = BuiltInPartitioner.partitionForKey(key, partitions);
    if (owned.contains(partition)) {
      roundRobin.add(backfill, partition);
    }
  }

  private void serve() {
    if (!running || inTurn || failuresInARow >= FAILURES_MAX) {
      return;
    }
    List<UnfinishedBackfill> backfills = roundRobin.nextTogether();
    if (!backfills.isEmpty()) {
      inTurn = true;
      pump.turn(backfills).onComplete(result -> ended(backfills, result));
    }
  }

  private void ended(
      List<UnfinishedBackfill> backfills, AsyncResult<Set<UnfinishedBackfill>> more) {
    inTurn = false;
    if (more.failed()) {
      failuresInARow++;
      backfills.forEach(roundRobin::hasFailed);
      sending.failed(more.cause(), Map.of("backfill_id", backfills.getFirst().id()));
    } else {
      failuresInARow = 0;
      sending.worked();
      for (UnfinishedBackfill backfill : backfills) {
        backfill.alone(false);
        if (more.result().contains(backfill)) {
          roundRobin.hasMore(backfill);
        } else {
          roundRobin.hasNoMore(backfill);
        }
      }
    }
    serve();
    completeCloseIfIdle();
  }

  private void completeCloseIfIdle() {
    if (closing && !inTurn && !looking) {
      closed.tryComplete();
    }
  }
}
