package io.egress.webhook.turn;

import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.deliverylog.MadeAttempt;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a turn has come to. The record that stood for it is complete once this is written. */
public sealed interface TurnEnd {
  /** The record that stood for it. */
  Delivery turn();

  /** An attempt was made, which is logged. */
  sealed interface Attempted extends TurnEnd {
    DuePage page();

    MadeAttempt attempt();
  }

  /** The receiver has accepted the page. */
  record Accepted(Delivery turn, DuePage page, MadeAttempt attempt) implements Attempted {}

  /**
   * The attempt has failed.
   *
   * @param next the record of the next one, which is published then
   * @param size how many captures the page has then, at most
   * @param held the capture that the receiver refuses, if the page had no other
   */
  record Failed(
      Delivery turn,
      DuePage page,
      MadeAttempt attempt,
      Delivery next,
      int size,
      @Nullable UUID held)
      implements Attempted {}

  /** Nothing is wanted of what was looked at. */
  record Empty(Delivery turn, long lookedUpTo) implements TurnEnd {}

  /** The endpoint is paused, and rests until it is resumed, or was deleted. */
  record Paused(Delivery turn) implements TurnEnd {}

  /** The same attempt is made later, for which {@code next} is published. */
  record Postponed(Delivery turn, Delivery next) implements TurnEnd {}
}
