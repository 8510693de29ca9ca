package io.egress.dispatcher.backfill;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.delivery.Delivery;
import io.egress.delivery.Delivery.Origin;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TurnsTest {
  private final BackfillSettings settings =
      new BackfillSettings(4, 256, 4_096, 128, Duration.ofMillis(500));
  private final Allowance allowance = new Allowance(settings);
  private final Turns turns = new Turns(allowance, settings.aheadMax());
  private final UUID first = UUID.randomUUID();
  private final UUID second = UUID.randomUUID();

  @Test
  void servesInTurn() {
    turns.add(first, 0);
    turns.add(second, 0);

    List<UUID> served = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Backfill backfill = turns.next();
      assertThat(backfill).isNotNull();
      served.add(backfill.id());
      turns.hasMore(backfill);
    }
    assertThat(served).containsExactly(first, second, first, second);
  }

  @Test
  void handsOutEachHistoryOnceAtATime() {
    turns.add(first, 0);
    assertThat(turns.next()).isNotNull();
    turns.add(first, 0);

    assertThat(turns.next()).isNull();
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
    turns.add(first, 0);

    assertThat(turns.next()).isNull();
    assertThat(allowance.ahead()).isEqualTo(4_096);
  }

  @Test
  void keepsWhatAFailedTurnReservedAndOffersExactlyThatAgain() {
    turns.add(first, 0);
    Backfill backfill = turns.next();
    assertThat(backfill).isNotNull();
    List<Delivery> batch = deliveries(first, backfill.reserved());
    backfill.publishing(batch);
    backfill.unsure(batch);
    turns.hasFailed(backfill);

    assertThat(allowance.ahead()).isEqualTo(128);
    assertThat(turns.next()).as("before the period has passed").isNull();
    turns.periodPassed();
    assertThat(turns.next()).isSameAs(backfill);
    assertThat(backfill.reserved()).isEqualTo(128);
    turns.hasNoMore(backfill);
    assertThat(allowance.ahead()).isZero();
  }

  @Test
  void storesAPositionEvenWithoutRoom() {
    turns.add(first, 0);
    Backfill backfill = publishAll(first);
    assertThat(backfill.room()).isZero();
    turns.periodPassed();
    assertThat(turns.next()).isNull();

    backfill.acknowledged(257, 256);
    turns.hasMore(backfill);
    assertThat(turns.next()).isSameAs(backfill);
    assertThat(backfill.reserved()).isZero();
  }

  @Test
  void countsNothingOfAForgottenHistory() {
    turns.add(first, 0);
    turns.add(second, 1);
    Backfill lost = turns.next();
    assertThat(lost).isNotNull();
    turns.keepOnly(Set.of(1));
    assertThat(allowance.ahead()).isZero();

    List<Delivery> batch = deliveries(first, 10);
    lost.publishing(batch);
    lost.unsure(batch);
    turns.hasFailed(lost);
    turns.periodPassed();
    turns.hasNoMore(lost);
    assertThat(allowance.ahead()).isZero();
    Backfill kept = turns.next();
    assertThat(kept).isNotNull();
    assertThat(kept.id()).isEqualTo(second);
    assertThat(turns.next()).isNull();
  }

  @Test
  void settlingOthersWakesThoseWithoutRoom() {
    List<Delivery> unsettled = new ArrayList<>();
    while (allowance.ahead() < 4_096) {
      UUID endpoint = UUID.randomUUID();
      turns.add(endpoint, 0);
      unsettled.addAll(publishOnce(endpoint));
    }
    turns.add(first, 0);
    assertThat(turns.next()).isNull();

    unsettled.subList(0, 64).forEach(turns::settled);
    Backfill woken = turns.next();
    while (woken != null && !woken.id().equals(first)) {
      woken = turns.next();
    }
    assertThat(woken).isNotNull();
  }

  /** Publishes as much to a new endpoint as it may have; the number. */
  private int exhaust(int partition) {
    UUID endpoint = UUID.randomUUID();
    turns.add(endpoint, partition);
    return publishAll(endpoint).ahead();
  }

  private Backfill publishAll(UUID endpoint) {
    Backfill backfill = null;
    for (Backfill next = turns.next(); next != null; next = turns.next()) {
      next.publishing(deliveries(next.id(), next.reserved()));
      turns.hasMore(next);
      backfill = next;
    }
    assertThat(backfill).isNotNull();
    assertThat(backfill.id()).isEqualTo(endpoint);
    return backfill;
  }

  private List<Delivery> publishOnce(UUID endpoint) {
    Backfill backfill = turns.next();
    assertThat(backfill).isNotNull();
    List<Delivery> batch = deliveries(endpoint, backfill.reserved());
    backfill.publishing(batch);
    turns.hasNoMore(backfill);
    return batch;
  }

  private static List<Delivery> deliveries(UUID endpoint, int count) {
    return LongStream.range(0, count)
        .mapToObj(
            position ->
                Delivery.first(
                    UUID.randomUUID(),
                    endpoint,
                    UUID.randomUUID(),
                    position,
                    Origin.BACKFILL,
                    Instant.EPOCH))
        .toList();
  }
}
