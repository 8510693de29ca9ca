package io.egress.dispatcher.lane;

import java.time.Duration;

/**
 * How long records of a stuck lane are parked. The delay doubles whenever it has passed and the
 * lane is still stuck, however many records are parked meanwhile.
 */
final class ParkingDelay {
  private final long minNanos;
  private final long maxNanos;
  private long delayNanos;
  private long sinceNanos;

  ParkingDelay(LaneSettings.Parking settings) {
    this.minNanos = settings.delayMin().toNanos();
    this.maxNanos = settings.delayMax().toNanos();
    this.delayNanos = minNanos;
  }

  void start(long nowNanos) {
    delayNanos = minNanos;
    sinceNanos = nowNanos;
  }

  Duration current(long nowNanos) {
    if (nowNanos - sinceNanos >= delayNanos) {
      delayNanos = Math.min(delayNanos * 2, maxNanos);
      sinceNanos = nowNanos;
    }
    return Duration.ofNanos(delayNanos);
  }
}
