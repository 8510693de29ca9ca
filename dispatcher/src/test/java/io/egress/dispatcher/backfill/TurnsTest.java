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
      EndpointHistory history = turns.next();
      assertThat(history).isNotNull();
      served.add(history.endpointId());
      turns.hasMore(history);
    }
    assertThat(served).containsExactly(first, second, first, second);
  }

  @Test
  void handsNobodyOutTwiceAtATime() {
    turns.add(first, 0);
    assertThat(turns.next()).isNotNull();
    turns.add(first, 0);

    assertThat(turns.next()).isNull();
  }

  @Test
  void givesEverybodyItsAllowanceWhileThereIsEnough() {
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
    EndpointHistory history = turns.next();
    assertThat(history).isNotNull();
    List<Delivery> batch = deliveries(first, history.reserved());
    history.publishing(batch);
    history.unsure(batch);
    turns.hasFailed(history);

    assertThat(allowance.ahead()).isEqualTo(128);
    assertThat(turns.next()).as("before the period has passed").isNull();
    turns.periodPassed();
    assertThat(turns.next()).isSameAs(history);
    assertThat(history.reserved()).isEqualTo(128);
    turns.hasNoMore(history);
    assertThat(allowance.ahead()).isZero();
  }

  @Test
  void storesAPositionEvenWithoutRoom() {
    turns.add(first, 0);
    EndpointHistory history = publishAll(first);
    assertThat(history.room()).isZero();
    turns.periodPassed();
    assertThat(turns.next()).isNull();

    history.acknowledged(257);
    turns.hasMore(history);
    assertThat(turns.next()).isSameAs(history);
    assertThat(history.reserved()).isZero();
  }

  @Test
  void countsNothingOfAForgottenHistory() {
    turns.add(first, 0);
    turns.add(second, 1);
    EndpointHistory lost = turns.next();
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
    EndpointHistory kept = turns.next();
    assertThat(kept).isNotNull();
    assertThat(kept.endpointId()).isEqualTo(second);
    assertThat(turns.next()).isNull();
  }

  @Test
  void lettingOthersSettleWakesWhoHadNoRoom() {
    List<Delivery> unsettled = new ArrayList<>();
    while (allowance.ahead() < 4_096) {
      UUID endpoint = UUID.randomUUID();
      turns.add(endpoint, 0);
      unsettled.addAll(publishOnce(endpoint));
    }
    turns.add(first, 0);
    assertThat(turns.next()).isNull();

    unsettled.subList(0, 64).forEach(turns::settled);
    EndpointHistory woken = turns.next();
    while (woken != null && !woken.endpointId().equals(first)) {
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

  private EndpointHistory publishAll(UUID endpoint) {
    EndpointHistory history = null;
    for (EndpointHistory next = turns.next(); next != null; next = turns.next()) {
      next.publishing(deliveries(next.endpointId(), next.reserved()));
      turns.hasMore(next);
      history = next;
    }
    assertThat(history).isNotNull();
    assertThat(history.endpointId()).isEqualTo(endpoint);
    return history;
  }

  private List<Delivery> publishOnce(UUID endpoint) {
    EndpointHistory history = turns.next();
    assertThat(history).isNotNull();
    List<Delivery> batch = deliveries(endpoint, history.reserved());
    history.publishing(batch);
    turns.hasNoMore(history);
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
