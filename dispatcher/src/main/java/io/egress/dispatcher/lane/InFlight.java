package io.egress.dispatcher.lane;

import java.util.UUID;

/**
 * A record that has a slot: the token to be given to {@link Lanes#sent} when its attempt begins,
 * and to {@link Lanes#completed} exactly once.
 */
public final class InFlight<R> {
  private final Lane<R> lane;
  private final R record;
  private final boolean probe;
  private boolean sent;
  private long sentNanos;

  InFlight(Lane<R> lane, R record, boolean probe) {
    this.lane = lane;
    this.record = record;
    this.probe = probe;
  }

  public UUID endpointId() {
    return lane.endpointId();
  }

  public R record() {
    return record;
  }

  void sentAt(long nowNanos) {
    sent = true;
    sentNanos = nowNanos;
  }

  boolean isSent() {
    return sent;
  }

  long sentNanos() {
    return sentNanos;
  }

  Lane<R> lane() {
    return lane;
  }

  boolean isProbe() {
    return probe;
  }
}
