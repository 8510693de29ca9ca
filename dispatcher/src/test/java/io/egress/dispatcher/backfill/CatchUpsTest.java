package io.egress.dispatcher.backfill;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.backfill.CatchUps;
import io.egress.webhook.backfill.CatchUps.Covered;
import io.egress.webhook.backfill.OpenBackfills;
import io.egress.webhook.backfill.OpenBackfills.Batch;
import io.egress.webhook.backfill.OpenBackfills.Open;
import io.egress.webhook.backfill.OpenBackfills.Reached;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.delivery.DeliveryId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How endpoints fall behind and become live again. */
class CatchUpsTest {
  private static final int ALL = 10_000;

  private final BackfillWorld world = new BackfillWorld();
  private final CatchUps catchUps = new CatchUps(world.pool);
  private final OpenBackfills open = new OpenBackfills(world.pool);
  private final UUID workspace = world.workspace(0);
  private final UUID endpoint = world.endpointWithoutHistory(workspace);

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void itsDeliveriesAreThoseThatFanOutWouldHaveMade() {
    world.enter(workspace, 10);
    fallBehind(4);

    List<Delivery> deliveries = take(ALL).deliveries();

    assertThat(deliveries)
        .extracting(Delivery::position)
        .containsExactly(4L, 5L, 6L, 7L, 8L, 9L, 10L);
    assertThat(deliveries)
        .allSatisfy(delivery -> {
          assertThat(delivery.id()).isEqualTo(DeliveryId.of(endpoint, delivery.captureId()));
          assertThat(delivery.origin()).isEqualTo(Origin.LIVE);
          assertThat(delivery.owedAt()).isEqualTo(world.enteredAt(workspace, delivery.position()));
        });
  }

  @Test
  void anEndpointThatIsBehindStaysSoFromItsFirstPositionOn() {
    world.enter(workspace, 10);

    assertThat(fallBehind(4)).isEqualTo(new Covered(4, 10));
    assertThat(fallBehind(7)).isEqualTo(new Covered(4, 10));
    assertThat(fallBehind(2)).as("it was published before").isEqualTo(new Covered(4, 10));
  }

  @Test
  void endpointsAtTheSamePlaceGetTheirOwnPartOfIt() {
    UUID filtered = world.endpointWithoutHistory(workspace);
    UUID elsewhere = world.endpointWithoutHistory(workspace);
    UUID otherWorkspace = world.workspace(0);
    UUID ofOther = world.endpointWithoutHistory(otherWorkspace);
    world.script(
        "update endpoints set filters = '[{\"after\": 0, \"filter\": {\"modes\": [\"manual\"], \"devices\": null}}]' where id = '%s'"
            .formatted(filtered));
    world.enter(workspace, 10);
    world.enter(otherWorkspace, 10);
    Map<UUID, Long> fallen = Map.of(endpoint, 4L, filtered, 4L, elsewhere, 7L, ofOther, 4L);
    BackfillWorld.await(catchUps.fallBehind(fallen));
    Map<UUID, Integer> most = Map.of(endpoint, 2, filtered, 5, elsewhere, ALL, ofOther, 3);

    Map<Open, Integer> asked = new HashMap<>();
    opened().forEach(each -> asked.put(each, most.get(each.endpointId())));
    Map<UUID, Batch> batches = new HashMap<>();
    Map<UUID, Batch> taken = BackfillWorld.await(open.take(asked));
    asked.keySet().forEach(each -> batches.put(each.endpointId(), taken.get(each.id())));

    assertThat(positions(of(batches, endpoint))).containsExactly(4L, 5L);
    assertThat(of(batches, endpoint)).returns(6L, Batch::nextPosition);
    assertThat(positions(of(batches, filtered))).as("ambient").isEmpty();
    assertThat(of(batches, filtered)).returns(9L, Batch::nextPosition);
    assertThat(positions(of(batches, elsewhere))).containsExactly(7L, 8L, 9L, 10L);
    assertThat(of(batches, elsewhere)).returns(true, Batch::atHead);
    assertThat(positions(of(batches, ofOther))).containsExactly(4L, 5L, 6L);
    assertThat(of(batches, ofOther).deliveries())
        .allMatch(each -> each.endpointId().equals(ofOther))
        .extracting(Delivery::captureId)
        .doesNotContainAnyElementsOf(
            of(batches, endpoint).deliveries().stream().map(Delivery::captureId).toList());
  }

  private static Batch of(Map<UUID, Batch> batches, UUID endpoint) {
    return Optional.ofNullable(batches.get(endpoint)).orElseThrow();
  }

  private static List<Long> positions(Batch batch) {
    return batch.deliveries().stream().map(Delivery::position).toList();
  }

  @Test
  void batchesEndWhereABlockDoes() {
    world.enter(workspace, 200);
    fallBehind(30);

    List<Long> ends = new ArrayList<>();
    for (Batch batch = take(ALL); !batch.atHead(); batch = take(ALL)) {
      ends.add(batch.nextPosition() - 1);
      advance(batch.nextPosition());
    }

    assertThat(ends).containsExactly(64L, 128L, 192L);
    assertThat(positions(take(ALL))).startsWith(193L).endsWith(200L);
  }

  @Test
  void becomesLiveAtTheHeadOnly() {
    world.enter(workspace, 500);
    fallBehind(1);
    assertThat(take(100).atHead()).isFalse();
    advance(101);
    join();
    assertThat(opened()).isNotEmpty();

    advance(449);
    assertThat(take(ALL).atHead()).as("still open").isTrue();
    join();

    world.enter(workspace, 5);
    Batch rest = take(ALL);
    assertThat(rest.last()).isTrue();
    assertThat(rest.atHead()).isFalse();
    assertThat(rest.deliveries()).hasSize(52).last().returns(500L, Delivery::position);
    advance(rest.nextPosition());
    assertThat(opened()).isEmpty();
  }

  @Test
  void fallsBehindAgainFromWhereItDoes() {
    world.enter(workspace, 10);
    fallBehind(1);
    advance(11);
    join();
    world.enter(workspace, 10);

    assertThat(fallBehind(15)).isEqualTo(new Covered(15, 20));
    assertThat(take(ALL).deliveries()).hasSize(6);
  }

  @Test
  void fallsBehindAgainBeforeItHasCaughtUp() {
    world.enter(workspace, 10);
    fallBehind(1);
    advance(6);
    join();
    world.enter(workspace, 10);

    assertThat(fallBehind(15)).as("all from its first position on").isEqualTo(new Covered(1, 20));
    assertThat(take(ALL).deliveries()).hasSize(15).first().returns(6L, Delivery::position);
  }

  @Test
  void aPausedEndpointsCatchUpGoesOnAndItsHistoryDoesNot() {
    UUID withHistory = world.endpoint(world.workspace(5));
    assertThat(opened()).hasSize(1);
    world.pause(withHistory, true);
    assertThat(opened()).isEmpty();

    BackfillWorld.await(catchUps.fallBehind(Map.of(withHistory, 6L)));

    assertThat(opened()).singleElement().returns(true, Open::isCatchUp);
  }

  @Test
  void aDeletedEndpointFallsNotBehind() {
    world.delete(workspace, endpoint);

    assertThat(BackfillWorld.await(catchUps.fallBehind(Map.of(endpoint, 1L)))).isEmpty();
    assertThat(opened()).isEmpty();
  }

  private Covered fallBehind(long position) {
    Map<UUID, Covered> covered =
        BackfillWorld.await(catchUps.fallBehind(Map.of(endpoint, position)));
    return Optional.ofNullable(covered.get(endpoint)).orElseThrow();
  }

  private List<Open> opened() {
    return BackfillWorld.await(open.open(Open.BEFORE_ALL, ALL));
  }

  private UUID catchUp() {
    return opened().getFirst().id();
  }

  private Batch take(int max) {
    Open catchUp = opened().getFirst();
    Map<UUID, Batch> taken = BackfillWorld.await(open.take(Map.of(catchUp, max)));
    return Optional.ofNullable(taken.get(catchUp.id())).orElseThrow();
  }

  private void advance(long next) {
    BackfillWorld.await(open.advance(List.of(new Reached(catchUp(), next, 0))));
  }

  private void join() {
    BackfillWorld.await(open.joinLive(catchUp()));
  }
}
