package io.egress.dispatcher.lane;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A record with a slot. Pass this token to {@link Lanes#sent} when its attempt begins, and to
 * {@link Lanes#completed} exactly once.
 */
public final class InFlight<R> {
  private final Lane<R> lane;
  private final R record;
  private final boolean probe;
  private final @Nullable OwnerLimits startedUnder;
  private boolean admitted;
  private boolean sent;
  private long sentNanos;

  InFlight(Lane<R> lane, R record, boolean probe, @Nullable OwnerLimits startedUnder) {
    this.lane = lane;
    this.record = record;
    this.probe = probe;
    this.startedUnder = startedUnder;
  }

  public UUID endpointId() {
    return lane.endpointId();
  }

  public R record() {
    return record;
  }

  @Nullable OwnerLimits startedUnder() {
    return startedUnder;
  }

  void admit() {
    admitted = true;
  }

  boolean isAdmitted() {
    return admitted;
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
