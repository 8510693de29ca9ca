package io.egress.dispatcher.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.pgclient.PgException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class DurableBatchesTest {
  private final PgException damaged = new PgException("invalid page", "ERROR", "XX001", "block 7");
  private static final Duration FOR_EVER = Duration.ofHours(1);

  private final List<List<Integer>> writes = new CopyOnWriteArrayList<>();
  private final AtomicInteger durable = new AtomicInteger();
  private volatile Future<Void> outcome = Future.succeededFuture();
  private Vertx vertx;
  private Context context;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
  }

  @Test
  void writesTheFirstItemAtOnce() {
    add(batches(FOR_EVER), 1);

    await().until(() -> durable.get() == 1);
    assertThat(writes).containsExactly(List.of(0));
  }

  @Test
  void keepsWritesApart() {
    DurableBatches<Integer> batches = batches(FOR_EVER);
    add(batches, 4);

    await().until(() -> durable.get() == 1);
    assertThat(pending(batches)).isEqualTo(3);
    assertThat(writes).containsExactly(List.of(0));
  }

  @Test
  void batchesItemsThatArriveMeanwhile() {
    add(batches(Duration.ofMillis(100)), 4);

    await().until(() -> durable.get() == 4);
    assertThat(writes).containsExactly(List.of(0), List.of(1, 2, 3));
  }

  @Test
  void doesNotKeepAWholeBatchWaiting() {
    add(batches(FOR_EVER), 1 + 512);

    await().until(() -> durable.get() == 513);
    assertThat(writes).extracting(List::size).containsExactly(1, 512);
  }

  @Test
  void retriesUntilTheItemsAreDurable() {
    outcome = Future.failedFuture("no disk");
    add(batches(Duration.ZERO), 1);
    await().until(() -> writes.size() == 2);
    assertThat(durable).hasValue(0);

    outcome = Future.succeededFuture();
    await().until(() -> durable.get() == 1);
    assertThat(writes).allSatisfy(write -> assertThat(write).containsExactly(0));
  }

  @Test
  void aDamagedRowDelaysNoOtherItem() {
    DurableBatches<Integer> batches =
        new DurableBatches<>(
            vertx,
            new DurableBatches.Medium<>(
                "items",
                item -> item,
                items -> items.contains(5) ? Future.failedFuture(damaged) : write(items),
                Duration.ofMillis(20)));
    add(batches, 9);

    await().until(() -> durable.get() == 8);
    assertThat(writes.stream().flatMap(List::stream))
        .containsExactlyInAnyOrder(0, 1, 2, 3, 4, 6, 7, 8);
  }

  private DurableBatches<Integer> batches(Duration apart) {
    return new DurableBatches<>(
        vertx, new DurableBatches.Medium<>("items", item -> item, this::write, apart));
  }

  private Future<Void> write(List<Integer> items) {
    writes.add(List.copyOf(items));
    return outcome;
  }

  private int pending(DurableBatches<Integer> batches) {
    return CompletableFuture.supplyAsync(
            batches::pending, work -> context.runOnContext(_ -> work.run()))
        .join();
  }

  private void add(DurableBatches<Integer> batches, int count) {
    context.runOnContext(_ ->
        IntStream.range(0, count).forEach(item -> batches.add(item, durable::incrementAndGet)));
  }
}
