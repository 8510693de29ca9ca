package io.egress.dispatcher.backfill;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.webhook.backfill.CatchUps;
import io.egress.webhook.backfill.OpenBackfills.Open;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RoundRobinTest {
  private static final UUID WORKSPACE = UUID.randomUUID();

  private final BackfillSettings settings =
      new BackfillSettings(4, 256, 4_096, 128, Duration.ofMillis(500));
  private final Allowance allowance = new Allowance(settings);
  private final RoundRobin queue = new RoundRobin(allowance, settings.aheadMax());
  private final UUID first = UUID.randomUUID();
  private final UUID second = UUID.randomUUID();

  @Test
  void servesInTurn() {
    queue.add(history(first), 0);
    queue.add(history(second), 0);

    List<UUID> served = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      UnfinishedBackfill backfill = queue.next();
      assertThat(backfill).isNotNull();
      served.add(backfill.id());
      queue.hasMore(backfill);
    }
    assertThat(served).containsExactly(first, second, first, second);
  }

  @Test
  void handsOutEachHistoryOnceAtATime() {
    queue.add(history(first), 0);
    assertThat(queue.next()).isNotNull();
    queue.add(history(first), 0);

    assertThat(queue.next()).isNull();
  }

  @Test
  void givesEachItsAllowanceWhileThereIsEnough() {
    assertThat(exhaust(0)).isEqualTo(256);
    assertThat(exhaust(0)).isEqualTo(256);
  }

  @Test
  void givesTheSixtiethBrokenEndpointsSuccessorStillSome() {
    for (int i = 0; i < 60; i++) {
      assertThat(exhaust(0)).isPositive();
    }
    assertThat(allowance.ahead()).isLessThan(4_096);
  }

  @Test
  void neverGivesMoreThanTheWholeAllowance() {
    while (allowance.ahead() < 4_096) {
      exhaust(0);
    }
    queue.add(history(first), 0);

    assertThat(queue.next()).isNull();
    assertThat(allowance.ahead()).isEqualTo(4_096);
  }

  @Test
  void keepsWhatAFailedTurnReservedAndOffersExactlyThatAgain() {
    queue.add(history(first), 0);
    UnfinishedBackfill backfill = queue.next();
    assertThat(backfill).isNotNull();
    List<Delivery> batch = deliveries(first, backfill.reserved());
    backfill.publishing(batch);
    backfill.unsure(batch);
    queue.hasFailed(backfill);

    assertThat(allowance.ahead()).isEqualTo(128);
    assertThat(queue.next()).as("before the period has passed").isNull();
    queue.periodPassed();
    assertThat(queue.next()).isSameAs(backfill);
    assertThat(backfill.reserved()).isEqualTo(128);
    queue.hasNoMore(backfill);
    assertThat(allowance.ahead()).isZero();
  }

  @Test
  void storesAPositionEvenWithoutRoom() {
    queue.add(history(first), 0);
    UnfinishedBackfill backfill = publishAll(first);
    assertThat(backfill.room()).isZero();
    queue.periodPassed();
    assertThat(queue.next()).isNull();

    backfill.acknowledged(257, 256);
    queue.hasMore(backfill);
    assertThat(queue.next()).isSameAs(backfill);
    assertThat(backfill.reserved()).isZero();
  }

  @Test
  void countsNothingOfAForgottenHistory() {
    queue.add(history(first), 0);
    queue.add(history(second), 1);
    UnfinishedBackfill lost = queue.next();
    assertThat(lost).isNotNull();
    queue.keepOnly(Set.of(1));
    assertThat(allowance.ahead()).isZero();

    List<Delivery> batch = deliveries(first, 10);
    lost.publishing(batch);
    lost.unsure(batch);
    queue.hasFailed(lost);
    queue.periodPassed();
    queue.hasNoMore(lost);
    assertThat(allowance.ahead()).isZero();
    UnfinishedBackfill kept = queue.next();
    assertThat(kept).isNotNull();
    assertThat(kept.id()).isEqualTo(second);
    assertThat(queue.next()).isNull();
  }

  @Test
  void settlingOthersWakesThoseWithoutRoom() {
    List<Delivery> unsettled = new ArrayList<>();
    while (allowance.ahead() < 4_096) {
      UUID endpoint = UUID.randomUUID();
      queue.add(history(endpoint), 0);
      unsettled.addAll(publishOnce(endpoint));
    }
    queue.add(history(first), 0);
    assertThat(queue.next()).isNull();

    unsettled.subList(0, 64).forEach(queue::settled);
    UnfinishedBackfill woken = queue.next();
    while (woken != null && !woken.id().equals(first)) {
      woken = queue.next();
    }
    assertThat(woken).isNotNull();
  }

  @Test
  void aCatchUpIsSettledByLiveDeliveriesAndNotByThoseOfTheHistory() {
    UUID catchUp = UUID.randomUUID();
    queue.add(history(first), 0);
    queue.add(new Open(first, catchUp, WORKSPACE), 0);
    UnfinishedBackfill history = queue.next();
    UnfinishedBackfill behind = queue.next();
    assertThat(history).isNotNull();
    assertThat(behind).isNotNull();
    assertThat(behind.id()).isEqualTo(catchUp);
    List<Delivery> old = deliveries(first, 1);
    List<Delivery> live = deliveries(first, Origin.LIVE, 1);
    history.publishing(old);
    behind.publishing(live);

    queue.settled(live.getFirst());

    assertThat(behind.ahead()).isZero();
    assertThat(history.ahead()).isEqualTo(1);
  }

  @Test
  void aCatchUpAtTheHeadWaitsUntilNearlyAllIsSettled() {
    queue.add(new Open(first, UUID.randomUUID(), WORKSPACE), 0);
    UnfinishedBackfill behind = queue.next();
    assertThat(behind).isNotNull();
    List<Delivery> batch = deliveries(first, Origin.LIVE, 40);
    behind.publishing(batch);
    behind.atHead(true);
    queue.hasMore(behind);
    assertThat(queue.next()).isNull();

    batch.subList(0, 23).forEach(queue::settled);
    assertThat(queue.next()).isNull();
    queue.settled(batch.get(23));

    assertThat(queue.next()).isSameAs(behind);
  }

  @Test
  void oneThatIsAheadWaitsForAnotherThatIsNearAndNotForOneThatIsFarBehind() {
    UnfinishedBackfill ahead = catchUpAt(first, 1_300);
    UnfinishedBackfill behind = catchUpAt(second, 1_200);
    catchUpAt(UUID.randomUUID(), 1_200 - 8 * CatchUps.BLOCK - 1);

    assertThat(ahead.room()).isZero();
    assertThat(behind.room()).isPositive();
    behind.acknowledged(1_300 - CatchUps.BLOCK, 0);
    assertThat(ahead.room()).isPositive();
  }

  /** With some of its batch unfinished. */
  private UnfinishedBackfill catchUpAt(UUID endpoint, long place) {
    queue.add(new Open(endpoint, UUID.randomUUID(), WORKSPACE), 0);
    UnfinishedBackfill catchUp = queue.next();
    assertThat(catchUp).isNotNull();
    catchUp.publishing(deliveries(endpoint, Origin.LIVE, 40));
    catchUp.acknowledged(place, 40);
    return catchUp;
  }

  private static Open history(UUID endpoint) {
    return new Open(endpoint, endpoint, null);
  }

  /** Publishes as much to a new endpoint as it may have; the number. */
  private int exhaust(int partition) {
    UUID endpoint = UUID.randomUUID();
    queue.add(history(endpoint), partition);
    return publishAll(endpoint).ahead();
  }

  private UnfinishedBackfill publishAll(UUID endpoint) {
    UnfinishedBackfill backfill = null;
    for (UnfinishedBackfill next = queue.next(); next != null; next = queue.next()) {
      next.publishing(deliveries(next.id(), next.reserved()));
      queue.hasMore(next);
      backfill = next;
    }
    assertThat(backfill).isNotNull();
    assertThat(backfill.id()).isEqualTo(endpoint);
    return backfill;
  }

  private List<Delivery> publishOnce(UUID endpoint) {
    UnfinishedBackfill backfill = queue.next();
    assertThat(backfill).isNotNull();
    List<Delivery> batch = deliveries(endpoint, backfill.reserved());
    backfill.publishing(batch);
    queue.hasNoMore(backfill);
    return batch;
  }

  private static List<Delivery> deliveries(UUID endpoint, int count) {
    return deliveries(endpoint, Origin.BACKFILL, count);
  }

  private static List<Delivery> deliveries(UUID endpoint, Origin origin, int count) {
    return LongStream.range(0, count)
        .mapToObj(position ->
            Delivery.first(
                UUID.randomUUID(), endpoint, UUID.randomUUID(), position, origin, Instant.EPOCH))
        .toList();
  }
}
