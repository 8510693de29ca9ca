package io.egress.api.pull;

import io.egress.platform.flow.ByteBudget;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one page, out of a limit shared by all pages. It is held until the page was sent,
 * so a page that has begun waits again only for a document larger than what it holds. Once closed,
 * it holds nothing and never will.
 */
final class PageRoom {
  private final ByteBudget memory;
  private final UUID workspaceId;
  private final Duration waitMax;
  private final Future<Void> cutShort;
  private ByteBudget.@Nullable Place place;
  private long bytes;
  private boolean closed;

  /** Closes itself when the request's lifetime is {@code cutShort}. */
  PageRoom(ByteBudget memory, UUID workspaceId, Duration waitMax, Future<Void> cutShort) {
    this.memory = memory;
    this.workspaceId = workspaceId;
    this.waitMax = waitMax;
    this.cutShort = cutShort;
    cutShort.onFailure(_ -> close());
  }

  /** Releases what it holds before waiting for more, so that two pages cannot deadlock. */
  Future<Void> fit(long wanted) {
    if (closed) {
      return cutShort;
    }
    if (wanted <= bytes) {
      return Future.succeededFuture();
    }
    giveBack();
    bytes = wanted;
    ByteBudget.Place asked = memory.ask(workspaceId, wanted, waitMax);
    place = asked;
    return asked
        .share()
        .<Void>mapEmpty()
        .recover(none -> cutShort.failed() ? cutShort : Future.failedFuture(none));
  }

  /** Also leaves the queue. */
  void close() {
    closed = true;
    giveBack();
  }

  private void giveBack() {
    ByteBudget.Place left = place;
    if (left != null) {
      // Callbacks that wait for the place are called by leave(), and release it in turn.
      place = null;
      bytes = 0;
      left.leave();
      left.share().onSuccess(ByteBudget.Share::giveBack);
    }
  }
}
