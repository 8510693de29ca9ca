package io.egress.dispatcher.backfill;

import static io.egress.dispatcher.backfill.BackfillWorld.still;
import static io.egress.dispatcher.backfill.BackfillWorld.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.delivery.Delivery;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Several workers, one after the other and at the same time. */
@Execution(ExecutionMode.CONCURRENT)
class BackfillsOwnershipTest {
  private static final int BATCH = 50;

  private final BackfillWorld world = new BackfillWorld();

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void workersOfDisjointPartitionsPublishEveryHistoryOnce() {
    UUID workspace = world.workspace(200);
    List<UUID> endpoints = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      endpoints.add(world.endpointIn(i % BackfillWorld.PARTITIONS, workspace));
    }
    world.worker(BackfillWorld.unbounded(BATCH)).own(0, 3);
    world.worker(BackfillWorld.unbounded(BATCH)).own(1, 2);

    until(() -> endpoints.stream().allMatch(world::finished));
    until(() -> world.published.all().size() == 16 * 200);
    still(() -> world.published.all().size() == 16 * 200);
    for (UUID endpoint : endpoints) {
      assertThat(world.published.capturesTo(endpoint))
          .containsExactlyElementsOf(world.captures(workspace));
    }
  }

  @Test
  void publishesOnlyFromItsOwnPartitions() {
    UUID workspace = world.workspace(10);
    UUID own = world.endpointIn(1, workspace);
    UUID foreign = world.endpointIn(2, workspace);
    world.worker(BackfillWorld.unbounded(BATCH)).own(1);

    until(() -> world.finished(own));
    still(() -> world.published.to(foreign).isEmpty());
  }

  @Test
  void anotherWorkerContinuesWhereTheFirstStopped() {
    UUID workspace = world.workspace(400);
    UUID endpoint = world.endpointIn(1, workspace);
    TestWorker first = world.worker(BackfillWorld.settings(100, 1_000, BATCH));
    TestWorker second = world.worker(BackfillWorld.settings(100, 1_000, BATCH));
    first.own(0, 1);
    second.own(2, 3);
    until(() -> world.nextPosition(endpoint) == 101);

    first.own(0);
    assertThat(first.ahead()).isZero();
    second.own(1, 2, 3);
    until(() -> world.published.to(endpoint).size() == 200);
    still(() -> world.published.to(endpoint).size() == 200);

    first.settle(world.published.to(endpoint));
    still(() -> world.published.to(endpoint).size() == 200);
    world.settleUntilFinished(second, endpoint);
    until(() -> world.published.to(endpoint).size() == 400);
    assertThat(world.published.capturesTo(endpoint))
        .containsExactlyElementsOf(world.captures(workspace));
  }

  @Test
  @Tag("full")
  void forgetsWhatWasAheadWhenAPartitionLeavesAndComesBack() {
    UUID endpoint = world.endpointIn(1, world.workspace(400));
    TestWorker worker = world.worker(BackfillWorld.settings(100, 1_000, BATCH));
    worker.own(1);
    until(() -> world.nextPosition(endpoint) == 101);
    until(() -> world.published.to(endpoint).size() == 100);
    List<Delivery> before = world.published.to(endpoint);

    worker.own();
    worker.own(1);
    until(() -> world.nextPosition(endpoint) == 201);
    worker.settle(before);
    assertThat(worker.ahead()).isEqualTo(100);
    still(() -> world.published.to(endpoint).size() == 200);
  }

  @Test
  void losesNothingWhilePartitionsMoveAndRepeatsOnlyWhatWasInFlight() {
    UUID workspace = world.workspace(1_500);
    List<UUID> endpoints = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      endpoints.add(world.endpointIn(i % BackfillWorld.PARTITIONS, workspace));
    }
    TestWorker first = world.worker(BackfillWorld.unbounded(BATCH));
    TestWorker second = world.worker(BackfillWorld.unbounded(BATCH));
    int moves = 0;
    while (!endpoints.stream().allMatch(world::finished)) {
      moves++;
      if (moves % 2 == 0) {
        first.own(0, 1);
        second.own(2, 3);
      } else {
        first.own(1, 2);
        second.own(0, 3);
      }
      int before = world.published.all().size();
      until(() ->
          world.published.all().size() > before || endpoints.stream().allMatch(world::finished));
    }

    until(() -> new HashSet<>(world.published.all()).size() == 8 * 1_500);
    for (UUID endpoint : endpoints) {
      assertThat(world.published.capturesTo(endpoint))
          .hasSizeLessThanOrEqualTo(1_500 + moves * BATCH)
          .containsAll(world.captures(workspace));
    }
  }

  @Test
  @Tag("full")
  void twoWorkersOfTheSamePartitionDoNoHarm() {
    UUID workspace = world.workspace(500);
    UUID endpoint = world.endpoint(workspace);
    world.workerOfAll(BackfillWorld.unbounded(BATCH));
    world.workerOfAll(BackfillWorld.unbounded(BATCH));

    until(() -> world.finished(endpoint));
    assertThat(world.nextPosition(endpoint)).isEqualTo(501);
    until(() -> new HashSet<>(world.published.to(endpoint)).size() == 500);
    assertThat(new HashSet<>(world.published.capturesTo(endpoint)))
        .isEqualTo(new HashSet<>(world.captures(workspace)));
  }

  @Test
  @Tag("full")
  void aCrashBetweenPublishingAndSavingProgressRepeatsOneBatch() {
    UUID workspace = world.workspace(500);
    UUID endpoint = world.endpoint(workspace);
    TestWorker crashing = world.workerOfAll(BackfillWorld.settings(4 * BATCH, 2_000, BATCH));
    until(() -> world.nextPosition(endpoint) == 201);
    until(() -> world.published.to(endpoint).size() == 200);
    world.refuseProgress(true);
    crashing.settle(world.published.to(endpoint));
    until(() -> world.published.to(endpoint).size() == 250);
    still(() -> world.published.to(endpoint).size() == 250);
    crashing.close();
    assertThat(world.nextPosition(endpoint)).isEqualTo(201);
    world.refuseProgress(false);

    world.workerOfAll(BackfillWorld.unbounded(BATCH));
    until(() -> world.finished(endpoint));
    until(() -> world.published.to(endpoint).size() == 500 + BATCH);
    assertThat(new HashSet<>(world.published.to(endpoint))).hasSize(500);
    assertThat(new HashSet<>(world.published.capturesTo(endpoint)))
        .isEqualTo(new HashSet<>(world.captures(workspace)));
  }

  @Test
  @Tag("full")
  void publishesNothingAgainWhenOnlySavingProgressFailed() {
    UUID workspace = world.workspace(500);
    UUID endpoint = world.endpoint(workspace);
    world.refuseProgress(true);
    world.workerOfAll(BackfillWorld.unbounded(BATCH));
    until(() -> world.published.to(endpoint).size() == BATCH);
    still(() -> world.published.to(endpoint).size() == BATCH);

    world.refuseProgress(false);
    until(() -> world.finished(endpoint));
    until(() -> world.published.to(endpoint).size() == 500);
    assertThat(world.published.capturesTo(endpoint))
        .containsExactlyElementsOf(world.captures(workspace));
  }
}
