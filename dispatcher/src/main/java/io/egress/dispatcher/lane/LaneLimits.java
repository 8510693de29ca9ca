package io.egress.dispatcher.lane;

/**
 * The limits set by an endpoint's owner, in addition to the lane's own.
 *
 * @param perSecond attempts begun per second; 0 for unlimited
 * @param inFlight concurrent attempts
 */
public record LaneLimits(int perSecond, int inFlight) {
  public static final LaneLimits NONE = new LaneLimits(0, Integer.MAX_VALUE);

  public LaneLimits {
    if (perSecond < 0 || inFlight < 1) {
      throw new IllegalArgumentException("a limit is too small");
    }
  }
}
