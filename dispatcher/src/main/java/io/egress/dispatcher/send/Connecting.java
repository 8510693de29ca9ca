package io.egress.dispatcher.send;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Opens a connection to one of several addresses. An address that fails is followed by the next
 * one, and so is one that has not answered within its share of the time that is left; whichever
 * answers first is taken, and a late one goes to the pool.
 */
final class Connecting {
  interface Listener {
    void connected(PooledConnection connection);

    void failedToConnect(Throwable lastFailure);
  }

  /** A name with hundreds of addresses is not to make one attempt a storm of connections. */
  private static final int MAX_ADDRESSES_TRIED = 4;

  private final EndpointPool pool;
  private final AttemptContext context;
  private final Deque<InetAddress> left;
  private final long deadlineNanos;
  private final Listener listener;
  private final List<EndpointPool.Opening> openings = new ArrayList<>();
  private int trying;
  private boolean over;

  Connecting(
      EndpointPool pool,
      AttemptContext context,
      List<InetAddress> addresses,
      long deadlineNanos,
      Listener listener) {
    this.pool = pool;
    this.context = context;
    this.left =
        new ArrayDeque<>(addresses.subList(0, Math.min(addresses.size(), MAX_ADDRESSES_TRIED)));
    this.deadlineNanos = deadlineNanos;
    this.listener = listener;
  }

  void tryNext() {
    InetAddress address = left.remove();
    trying++;
    Patience patience = new Patience();
    openings.add(
        pool.open(
            address,
            (connection, failure) -> {
              trying--;
              boolean wasLatest = patience.end();
              if (failure == null) {
                opened(connection);
              } else if (!over) {
                failed(failure, wasLatest);
              }
            }));
  }

  void cancel() {
    over = true;
    openings.forEach(EndpointPool.Opening::abandon);
  }

  private void opened(PooledConnection connection) {
    if (over) {
      pool.giveBack(connection, true);
    } else {
      cancel();
      listener.connected(connection);
    }
  }

  private void failed(Throwable failure, boolean wasLatest) {
    if (wasLatest && !left.isEmpty()) {
      tryNext();
    } else if (trying == 0) {
      over = true;
      listener.failedToConnect(failure);
    }
  }

  /** How long one address is waited for before the next is tried beside it. */
  private final class Patience {
    private static final long NO_TIMER = -1;

    private long timerId = NO_TIMER;
    private boolean exhausted;

    Patience() {
      if (!left.isEmpty()) {
        long shareNanos = (deadlineNanos - System.nanoTime()) / (left.size() + 1);
        timerId = context.startTimer(Duration.ofNanos(shareNanos).toMillis(), this::exhaust);
      }
    }

    /** Whether the next address has not been tried yet. */
    boolean end() {
      if (timerId != NO_TIMER) {
        context.cancelTimer(timerId);
      }
      return !exhausted;
    }

    private void exhaust() {
      exhausted = true;
      if (!over) {
        tryNext();
      }
    }
  }
}
