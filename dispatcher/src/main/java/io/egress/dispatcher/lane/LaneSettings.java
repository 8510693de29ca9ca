package io.egress.dispatcher.lane;

import java.time.Duration;

/** The parameters of lanes. */
public record LaneSettings(Concurrency concurrency, Parking parking, Bounds bounds) {
  private static final int IN_FLIGHT_MAX = 2_048;
  private static final int PROBES_SHARE = 4;

  public static LaneSettings defaults() {
    return withInFlightMax(IN_FLIGHT_MAX);
  }

  /** The defaults, with this many concurrent attempts in all lanes together. */
  public static LaneSettings withInFlightMax(int inFlightMax) {
    return new LaneSettings(
        new Concurrency(4, 64, Duration.ofSeconds(2), Duration.ofMinutes(10)),
        new Parking(
            Duration.ofSeconds(2),
            Duration.ofSeconds(30),
            Duration.ofSeconds(5),
            Duration.ofSeconds(60)),
        new Bounds(inFlightMax, inFlightMax / PROBES_SHARE, 20_000, 16_000, 8_000, 10_000));
  }

  /**
   * The concurrency of one endpoint.
   *
   * @param initial concurrent attempts to an unknown endpoint
   * @param max concurrent attempts to any endpoint
   * @param slowAfter an attempt that took longer does not raise the limit
   * @param rememberedFor how long an idle endpoint keeps its limit
   */
  public record Concurrency(int initial, int max, Duration slowAfter, Duration rememberedFor) {
    public Concurrency {
      check(initial >= 1 && initial <= max, "initial is not in 1..max");
      checkPositive(slowAfter, "slowAfter");
      checkPositive(rememberedFor, "rememberedFor");
    }
  }

  /**
   * When waiting records are parked, and for how long.
   *
   * @param stuckAfter without progress for this long, with no slot free and records waiting, a lane
   *     is stuck
   * @param overdueAfter while the backlog is full, no record waits longer than this without its
   *     lane giving up records
   * @param delayMin the first parking delay of a lane; it doubles while the lane stays stuck
   * @param delayMax the longest delay
   */
  public record Parking(
      Duration stuckAfter, Duration overdueAfter, Duration delayMin, Duration delayMax) {
    public Parking {
      checkPositive(stuckAfter, "stuckAfter");
      checkPositive(overdueAfter, "overdueAfter");
      checkPositive(delayMin, "delayMin");
      check(delayMax.compareTo(delayMin) >= 0, "delayMax is below delayMin");
    }
  }

  /**
   * The limits of all lanes together.
   *
   * @param inFlightMax concurrent attempts
   * @param probesInFlightMax how many of those may be probes of stuck lanes
   * @param queuedMax waiting records; no more are taken
   * @param pauseAtQueued the caller must pause from here ...
   * @param resumeAtQueued ... until only this many are left
   * @param idleLanesMax idle lanes remembered, whatever their age
   */
  public record Bounds(
      int inFlightMax,
      int probesInFlightMax,
      int queuedMax,
      int pauseAtQueued,
      int resumeAtQueued,
      int idleLanesMax) {
    public Bounds {
      check(
          probesInFlightMax >= 1 && probesInFlightMax <= inFlightMax,
          "probesInFlightMax is not in 1..inFlightMax");
      check(
          resumeAtQueued >= 0 && resumeAtQueued < pauseAtQueued && pauseAtQueued <= queuedMax,
          "not resumeAtQueued < pauseAtQueued <= queuedMax");
      check(idleLanesMax >= 0, "idleLanesMax is negative");
    }
  }

  private static void checkPositive(Duration duration, String name) {
    check(!duration.isNegative() && !duration.isZero(), name + " is not positive");
  }

  private static void check(boolean holds, String complaint) {
    if (!holds) {
      throw new IllegalArgumentException(complaint);
    }
  }
}
