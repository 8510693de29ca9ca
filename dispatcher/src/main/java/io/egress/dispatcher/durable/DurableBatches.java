package io.egress.dispatcher.durable;

import io.egress.platform.database.DamagedRows;
import io.egress.platform.outage.Outage;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Group commit: items that arrive while others are being written share the next write. A failed
 * write is repeated until it succeeds; only then is an item durable. Owned by one event loop.
 */
public final class DurableBatches<T> {
  private static final Logger log = LoggerFactory.getLogger(DurableBatches.class);

  private static final int BATCH_MAX = 512;
  private static final int WRITES_MAX = 2;
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);
  private static final Duration PAUSE_FOR_REPAIR = Duration.ofMinutes(1);

  private record Waiting<T>(T item, Runnable durable) {}

  private record Batch<T>(List<Waiting<T>> items, long startedNanos) {}

  /**
   * How a batch is written; items with equal {@code key} are never in the same batch.
   *
   * @param apart the minimum time between the starts of two writes, unless a whole batch is
   *     waiting: a write costs about the same for one item and for ten
   */
  public record Medium<T>(
      String name,
      Function<T, Object> key,
      Function<List<T>, Future<Void>> write,
      Duration apart) {}

  private final Vertx vertx;
  private final Medium<T> medium;
  private final Outage outage;
  private final Deque<Waiting<T>> queue = new ArrayDeque<>();
  private final List<Batch<T>> writes = new ArrayList<>(WRITES_MAX);
  private int underWay;
  private long startedMillis;
  private boolean isTimerSet;
  private boolean givenUp;

  public DurableBatches(Vertx vertx, Medium<T> medium) {
    this.vertx = vertx;
    this.medium = medium;
    this.startedMillis = millis() - medium.apart().toMillis();
    this.outage =
        new Outage(
            log,
            "Cannot write " + medium.name() + "; retrying",
            "Writing " + medium.name() + " works again");
  }

  /** {@code durable} is called once the item is. */
  public void add(T item, Runnable durable) {
    queue.add(new Waiting<>(item, durable));
    writeMore();
  }

  /** Items that are not durable yet. */
  public int pending() {
    return queue.size() + underWay;
  }

  /** How long the oldest write has been tried; 0 if none is in progress. */
  public long waitingNanos() {
    return writes.isEmpty() ? 0 : System.nanoTime() - writes.get(0).startedNanos();
  }

  /** Stops repeating writes. Items that are not durable by then never will be. */
  public void giveUp() {
    givenUp = true;
    queue.clear();
  }

  private void writeMore() {
    while (writes.size() < WRITES_MAX && isWorthAWrite()) {
      Batch<T> batch = new Batch<>(nextBatch(), System.nanoTime());
      startedMillis = millis();
      writes.add(batch);
      underWay += batch.items().size();
      write(batch);
    }
    if (writes.isEmpty() && !queue.isEmpty() && !isTimerSet) {
      isTimerSet = true;
      vertx.setTimer(
          Math.max(1, millisEarly()),
          _ -> {
            isTimerSet = false;
            writeMore();
          });
    }
  }

  /** A second concurrent write is only worth a full batch. */
  private boolean isWorthAWrite() {
    return queue.size() >= BATCH_MAX
        || (writes.isEmpty() && !queue.isEmpty() && millisEarly() <= 0);
  }

  private long millisEarly() {
    return startedMillis + medium.apart().toMillis() - millis();
  }

  private List<Waiting<T>> nextBatch() {
    List<Waiting<T>> batch = new ArrayList<>();
    Set<Object> keys = new HashSet<>();
    Waiting<T> first = queue.peek();
    while (first != null
        && batch.size() < BATCH_MAX
        && keys.add(medium.key().apply(first.item()))) {
      batch.add(queue.remove());
      first = queue.peek();
    }
    return batch;
  }

  private void write(Batch<T> batch) {
    medium
        .write()
        .apply(batch.items().stream().map(Waiting::item).toList())
        .onSuccess(_ -> done(batch))
        .onFailure(failure -> {
          outage.failed(failure);
          if (DamagedRows.isCauseOf(failure)) {
            isolate(batch);
          } else {
            later(PAUSE_AFTER_FAILURE, () -> write(batch));
          }
        });
  }

  /** An item that cannot be written because of a damaged row does not block the others. */
  private void isolate(Batch<T> batch) {
    writes.remove(batch);
    List<Waiting<T>> items = batch.items();
    if (items.size() == 1) {
      underWay--;
      later(PAUSE_FOR_REPAIR, () -> add(items.get(0).item(), items.get(0).durable()));
      writeMore();
      return;
    }
    int half = items.size() / 2;
    for (List<Waiting<T>> part :
        List.of(items.subList(0, half), items.subList(half, items.size()))) {
      Batch<T> smaller = new Batch<>(part, batch.startedNanos());
      writes.add(smaller);
      write(smaller);
    }
  }

  private void later(Duration pause, Runnable work) {
    vertx.setTimer(
        pause.toMillis(),
        _ -> {
          if (!givenUp) {
            work.run();
          }
        });
  }

  private void done(Batch<T> batch) {
    outage.worked();
    writes.remove(batch);
    underWay -= batch.items().size();
    batch.items().forEach(waiting -> waiting.durable().run());
    writeMore();
  }

  private static long millis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }
}
