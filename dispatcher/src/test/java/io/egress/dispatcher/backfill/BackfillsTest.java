package io.egress.dispatcher.backfill;

import static io.egress.dispatcher.backfill.BackfillWorld.still;
import static io.egress.dispatcher.backfill.BackfillWorld.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogEntry;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT)
class BackfillsTest {

  private final BackfillWorld world = new BackfillWorld();

  @AfterEach
  void close() {
    world.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 128, 129, 1_000})
  void publishesExactlyTheHistory(int captures) {
    UUID workspace = world.workspace(captures);
    world.endpoint(world.workspace(3));
    UUID endpoint = world.endpoint(workspace);
    world.workerOfAll(BackfillWorld.unbounded(128));

    until(() -> world.finished(endpoint) && world.published.all().size() == captures + 3);
    still(() -> world.published.all().size() == captures + 3);
    assertThat(world.published.capturesTo(endpoint))
        .containsExactlyElementsOf(world.captures(workspace));
    assertThat(world.nextPosition(endpoint)).isEqualTo(captures == 0 ? 1 : captures + 1);
  }

  @Test
  void publishesDeliveriesThatAreTheSameWheneverTheyAreRepeated() {
    UUID endpoint = world.endpoint(world.workspace(3));
    world.workerOfAll(BackfillWorld.unbounded(128));

    until(() -> world.published.to(endpoint).size() == 3);
    List<Delivery> published = world.published.to(endpoint);
    assertThat(published)
        .allSatisfy(delivery -> {
          assertThat(delivery.id()).isEqualTo(DeliveryId.of(endpoint, delivery.captureId()));
          assertThat(delivery.origin()).isEqualTo(Origin.BACKFILL);
          assertThat(delivery.attempt()).isEqualTo(1);
          assertThat(delivery.dueAt()).isEqualTo(delivery.owedAt());
        })
        .extracting(Delivery::position)
        .containsExactly(1L, 2L, 3L);
    assertThat(published).extracting(Delivery::owedAt).containsOnly(createdAt(endpoint));
  }

  @Test
  void leavesLiveCapturesToTheFanOut() {
    UUID workspace = world.workspace(5);
    UUID endpoint = world.endpoint(workspace);
    world.script(
        """
        with added as (
          insert into captures
            (id, workspace_id, device_id, mode, started_at, speakers, members, digest, entered)
          select gen_random_uuid(), workspace_id, id, 'ambient', now(), '{}', '{}', '', true from devices
          returning id, workspace_id)
        insert into stream (workspace_id, position, capture_id, chain) select workspace_id, 6, id, 6 from added
        """);
    world.workerOfAll(BackfillWorld.unbounded(128));

    until(() -> world.finished(endpoint));
    still(() -> world.published.to(endpoint).size() == 5);
  }

  @Test
  void findsEndpointsThatAreCreatedLater() {
    world.workerOfAll(BackfillWorld.unbounded(128));
    UUID endpoint = world.endpoint(world.workspace(10));

    until(() -> world.published.to(endpoint).size() == 10);
  }

  @Test
  void runsNoFurtherAheadThanItsAllowance() {
    UUID endpoint = world.endpoint(world.workspace(1_000));
    TestWorker worker = world.workerOfAll(BackfillSettings.defaults(BackfillWorld.PARTITIONS));

    until(() -> world.published.to(endpoint).size() == 256);
    still(() -> world.published.to(endpoint).size() == 256);
    assertThat(worker.ahead()).isEqualTo(256);
    assertThat(world.nextPosition(endpoint)).isEqualTo(257);
  }

  @Test
  void refillsAtOnceWhenAQuarterIsFree() {
    UUID endpoint = world.endpoint(world.workspace(1_000));
    Duration never = Duration.ofHours(1);
    TestWorker worker =
        world.workerOfAll(new BackfillSettings(BackfillWorld.PARTITIONS, 256, 4_096, 128, never));
    until(() -> world.published.to(endpoint).size() == 256);

    worker.settle(world.published.to(endpoint).subList(0, 63));
    still(() -> world.published.to(endpoint).size() == 256);
    worker.settle(world.published.to(endpoint).subList(63, 64));
    until(() -> world.published.to(endpoint).size() == 320);
    worker.settle(world.published.to(endpoint));
    until(() -> world.published.to(endpoint).size() == 576);
    still(() -> world.published.to(endpoint).size() == 576);
  }

  @Test
  void ignoresWhatSettlesAgainOrWasNeverAhead() {
    UUID endpoint = world.endpoint(world.workspace(100));
    TestWorker worker = world.workerOfAll(BackfillWorld.settings(8, 64, 8));
    until(() -> world.published.to(endpoint).size() == 8);

    Delivery first = world.published.to(endpoint).get(0);
    UUID other = UUID.randomUUID();
    List<Delivery> unknown = new ArrayList<>();
    LongStream.rangeClosed(1, 50)
        .forEach(position ->
            unknown.add(
                Delivery.first(
                    UUID.randomUUID(),
                    position % 2 == 0 ? endpoint : other,
                    other,
                    position,
                    Origin.BACKFILL,
                    first.owedAt())));
    worker.settle(unknown);
    worker.settle(List.of(first, first, first));

    assertThat(worker.ahead()).isEqualTo(7);
    still(() -> world.published.to(endpoint).size() == 8);
  }

  @Test
  void neverHasMoreUnsettledThanAllowedWhateverSettles() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    UUID workspace = world.workspace(300);
    List<UUID> endpoints = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      endpoints.add(world.endpoint(workspace));
    }
    TestWorker worker = world.workerOfAll(BackfillWorld.settings(20, 70, 16));

    Map<UUID, List<Delivery>> unsettled = new HashMap<>();
    AtomicInteger published = new AtomicInteger();
    until(() -> {
      for (Delivery delivery : world.published.unseen()) {
        unsettled.computeIfAbsent(delivery.endpointId(), _ -> new ArrayList<>()).add(delivery);
        published.incrementAndGet();
      }
      int together = unsettled.values().stream().mapToInt(List::size).sum();
      assertThat(together).as("seed %s", seed).isLessThanOrEqualTo(70);
      for (List<Delivery> of : unsettled.values()) {
        assertThat(of).as("seed %s", seed).hasSizeLessThanOrEqualTo(20);
        List<Delivery> settled = new ArrayList<>();
        of.removeIf(delivery -> random.nextInt(3) == 0 && settled.add(delivery));
        worker.settle(settled);
      }
      return published.get() == 1_500;
    });
    assertThat(world.published.all()).extracting(Delivery::id).doesNotHaveDuplicates();
    until(() -> endpoints.stream().allMatch(world::finished));
    unsettled.values().forEach(worker::settle);
    assertThat(worker.ahead()).as("seed %s", seed).isZero();
  }

  @Test
  void brokenEndpointsLeaveRoomForHealthyOnes() {
    UUID large = world.workspace(600);
    TestWorker worker = world.workerOfAll(BackfillSettings.defaults(BackfillWorld.PARTITIONS));
    List<UUID> broken = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      broken.add(world.endpoint(large));
    }
    until(() -> broken.stream().noneMatch(each -> world.published.to(each).isEmpty()));
    UUID healthy = world.endpoint(world.workspace(100));

    List<Delivery> arrived = new ArrayList<>();
    until(() -> {
      List<Delivery> news =
          world.published.unseen().stream()
              .filter(each -> each.endpointId().equals(healthy))
              .toList();
      worker.settle(news);
      arrived.addAll(news);
      return arrived.size() == 100;
    });
    assertThat(worker.ahead()).isLessThanOrEqualTo(4_096);
  }

  @Test
  void pausingStopsItAndResumingContinues() {
    UUID workspace = world.workspace(500);
    UUID endpoint = world.endpoint(workspace);
    TestWorker worker = world.workerOfAll(BackfillWorld.settings(100, 1_000, 50));
    until(() -> world.published.to(endpoint).size() == 100);

    world.pause(endpoint, true);
    worker.settle(world.published.to(endpoint));
    still(() -> world.published.to(endpoint).size() == 100);
    assertThat(worker.ahead()).isZero();

    world.pause(endpoint, false);
    until(() -> world.published.to(endpoint).size() == 200);
    world.settleUntilFinished(worker, endpoint);
    until(() -> world.published.to(endpoint).size() == 500);
    assertThat(world.published.capturesTo(endpoint))
        .containsExactlyElementsOf(world.captures(workspace));
  }

  @Test
  void deletingStopsIt() {
    UUID workspace = world.workspace(500);
    UUID endpoint = world.endpoint(workspace);
    TestWorker worker = world.workerOfAll(BackfillWorld.settings(100, 1_000, 50));
    until(() -> world.published.to(endpoint).size() == 100);

    world.delete(workspace, endpoint);
    worker.settle(world.published.to(endpoint));
    still(() -> world.published.to(endpoint).size() == 100);
    assertThat(worker.ahead()).isZero();
  }

  @Test
  void closingLeavesNothingInFlight() {
    UUID endpoint = world.endpoint(world.workspace(5_000));
    TestWorker worker = world.workerOfAll(BackfillWorld.unbounded(16));
    until(() -> !world.published.to(endpoint).isEmpty());

    worker.close();
    long next = world.nextPosition(endpoint);
    until(() -> world.published.to(endpoint).size() == next - 1);
    still(() -> world.published.to(endpoint).size() == next - 1);
    assertThat(next).isLessThan(5_001);
  }

  @Test
  void replaysAPartOfTheStreamToAnEndpointWithoutHistory() {
    UUID workspace = world.workspace(300);
    UUID endpoint = world.endpointWithoutHistory(workspace);
    UUID replay = world.replay(endpoint, 101, 250, false);
    world.workerOfAll(BackfillWorld.unbounded(16));

    until(() -> world.finished(replay) && world.published.to(endpoint).size() >= 150);
    List<Delivery> published = world.published.to(endpoint);
    assertThat(published)
        .extracting(Delivery::position)
        .containsExactlyElementsOf(LongStream.rangeClosed(101, 250).boxed().toList());
    assertThat(published)
        .allSatisfy(each -> {
          assertThat(each.replayId()).isEqualTo(replay);
          assertThat(each.origin()).isEqualTo(Origin.REPLAY);
          assertThat(each.id()).isEqualTo(DeliveryId.inReplay(replay, each.captureId()));
          assertThat(each.id()).isNotEqualTo(DeliveryId.of(endpoint, each.captureId()));
        });
    assertThat(world.logged(replay)).containsExactly(entry("pending", 150L));
    assertThat(world.count(replay)).isEqualTo(150);
  }

  /**
   * Whatever the log holds: a capture that was owed is sent if no delivery of it was delivered and
   * none is on its way.
   */
  @Test
  void replaysWhatWasNotDelivered() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    UUID workspace = world.workspace(400);
    UUID endpoint = world.endpointWithoutHistory(workspace);
    List<UUID> captures = world.captures(workspace);
    UUID earlier = world.replay(endpoint, 1, 400, false);
    UUID canceled = world.replay(endpoint, 1, 400, false);
    UUID latest = world.replay(endpoint, 1, 400, false);
    world.finish(earlier);
    world.cancel(canceled);
    world.finish(latest);
    List<DeliveryState> states =
        List.copyOf(EnumSet.complementOf(EnumSet.of(DeliveryState.SUPERSEDED)));
    List<Long> expected = new ArrayList<>();
    List<LogEntry> entries = new ArrayList<>();
    for (int i = 0; i < captures.size(); i++) {
      Set<DeliveryState> seen = EnumSet.noneOf(DeliveryState.class);
      boolean owed = false;
      for (UUID chain : Arrays.asList(null, earlier, canceled, latest)) {
        if (random.nextInt(3) > 0) {
          DeliveryState state = states.get(random.nextInt(states.size()));
          entries.add(world.entry(endpoint, captures.get(i), i + 1, chain, state));
          seen.add(state);
          owed |= !canceled.equals(chain);
        }
      }
      if (owed
          && !seen.contains(DeliveryState.DELIVERED)
          && !seen.contains(DeliveryState.PENDING)) {
        expected.add(i + 1L);
      }
    }
    BackfillWorld.await(world.log.write(entries));
    UUID replay = world.replay(endpoint, 1, 400, true);
    world.workerOfAll(BackfillWorld.unbounded(1 + random.nextInt(40)));

    until(() -> world.finished(replay) && world.published.to(endpoint).size() >= expected.size());
    assertThat(world.published.to(endpoint))
        .as("seed %s", seed)
        .extracting(Delivery::position)
        .containsExactlyElementsOf(expected);
    assertThat(world.count(replay)).isEqualTo(expected.size());

    UUID again = world.replay(endpoint, 1, 400, true);
    until(() -> world.finished(again));
    assertThat(world.count(again)).as("its deliveries are under way").isZero();
  }

  @Test
  void publishesTheSameReplayAgainWhereItsProgressWasNotSaved() {
    UUID workspace = world.workspace(50);
    UUID endpoint = world.endpointWithoutHistory(workspace);
    List<UUID> captures = world.captures(workspace);
    BackfillWorld.await(
        world.log.write(
            IntStream.range(0, 50)
                .mapToObj(i ->
                    world.entry(endpoint, captures.get(i), i + 1, null, DeliveryState.EXHAUSTED))
                .toList()));
    world.refuseProgress(true);
    UUID replay = world.replay(endpoint, 1, 50, true);
    world.workerOfAll(BackfillWorld.unbounded(20));
    until(() -> world.published.to(endpoint).size() >= 20);

    world.refuseProgress(false);
    until(() -> world.finished(replay) && Set.copyOf(world.published.to(endpoint)).size() >= 50);
    assertThat(Set.copyOf(world.published.to(endpoint))).hasSize(50);
    assertThat(world.count(replay)).isEqualTo(50);
  }

  @Test
  void aCanceledReplayPublishesNothingMore() {
    UUID endpoint = world.endpointWithoutHistory(world.workspace(500));
    UUID replay = world.replay(endpoint, 1, 500, false);
    TestWorker worker = world.workerOfAll(BackfillWorld.settings(100, 1_000, 50));
    until(() -> world.published.to(endpoint).size() == 100);

    world.cancel(replay);
    worker.settle(world.published.to(endpoint));
    still(() -> world.published.to(endpoint).size() == 100);
    assertThat(worker.ahead()).isZero();
  }

  private Instant createdAt(UUID endpoint) {
    return BackfillWorld.await(
            world
                .pool
                .preparedQuery("select created_at from endpoints where id = $1")
                .execute(Tuple.of(endpoint)))
        .iterator()
        .next()
        .getOffsetDateTime(0)
        .toInstant();
  }
}
