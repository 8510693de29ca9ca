package io.egress.dispatcher.lane;

import java.util.UUID;

/** A record whose attempt runs: the token to be given to {@link Lanes#completed} exactly once. */
public final class InFlight<R> {
  private final Lane<R> lane;
  private final R record;
  private final boolean probe;
  private final long startedNanos;

  InFlight(Lane<R> lane, R record, boolean probe, long startedNanos) {
    this.lane = lane;
    this.record = record;
    this.probe = probe;
    this.startedNanos = startedNanos;
  }

  public UUID endpointId() {
    return lane.endpointId();
  }

  public R record() {
    return record;
  }

  public long startedNanos() {
    return startedNanos;
  }

  Lane<R> lane() {
    return lane;
  }

  boolean isProbe() {
    return probe;
  }
}
