package io.egress.api.pull;

import static java.util.Objects.requireNonNull;

import io.egress.api.keys.ApiKey;
import io.egress.flow.ByteBudget;
import io.vertx.core.Future;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one page, out of what all pages share. It is kept until the page has left, so that
 * a page once begun waits for memory again only for a document larger than what it has.
 */
final class PageRoom {
  private final ByteBudget memory;
  private final ApiKey owner;
  private final Duration waitMax;
  private ByteBudget.@Nullable Place place;
  private long bytes;

  PageRoom(ByteBudget memory, ApiKey owner, Duration waitMax) {
    this.memory = requireNonNull(memory, "memory is null");
    this.owner = requireNonNull(owner, "owner is null");
    this.waitMax = requireNonNull(waitMax, "waitMax is null");
  }

  /** What is there is given back before more is waited for: two pages never wait for each other. */
  Future<Void> fit(long wanted) {
    if (wanted <= bytes) {
      return Future.succeededFuture();
    }
    giveBack();
    bytes = wanted;
    ByteBudget.Place asked = memory.ask(owner, wanted, waitMax);
    place = asked;
    return asked.share().mapEmpty();
  }

  /** Gives up the place in line, too. */
  void giveBack() {
    ByteBudget.Place left = place;
    if (left != null) {
      // Whoever waits for the place is called by leave(), and gives back in turn.
      place = null;
      bytes = 0;
      left.leave();
      left.share().onSuccess(ByteBudget.Share::giveBack);
    }
  }
}
