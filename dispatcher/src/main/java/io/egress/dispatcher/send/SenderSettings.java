package io.egress.dispatcher.send;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * How long an attempt may take and what connections it may use.
 *
 * @param attemptTimeout covers everything from the name lookup to the end of the answer
 * @param keepName how long a name's addresses are used without asking again
 */
public record SenderSettings(Duration attemptTimeout, Duration keepName, PoolLimits pool) {
  public static final SenderSettings DEFAULTS =
      new SenderSettings(Duration.ofSeconds(10), Duration.ofSeconds(5), PoolLimits.DEFAULTS);

  public SenderSettings {
    requireNonNull(attemptTimeout, "attemptTimeout is null");
    requireNonNull(keepName, "keepName is null");
    requireNonNull(pool, "pool is null");
  }

  /**
   * How many connections there may be and for how long.
   *
   * @param maxConnectionsPerEndpoint open or being opened at a time
   * @param maxWaitingPerEndpoint attempts that wait for one of these; more are aborted at once
   * @param maxIdle kept open over all endpoints; each event loop has its share, and beyond it the
   *     one idle for longest is closed
   * @param idleTimeout how long a connection is kept without use
   * @param maxAge after which a connection is closed when free, so that a moved name is followed
   */
  public record PoolLimits(
      int maxConnectionsPerEndpoint,
      int maxWaitingPerEndpoint,
      int maxIdle,
      Duration idleTimeout,
      Duration maxAge) {
    public static final PoolLimits DEFAULTS =
        new PoolLimits(64, 256, 2_000, Duration.ofSeconds(30), Duration.ofMinutes(5));

    public PoolLimits {
      requireNonNull(idleTimeout, "idleTimeout is null");
      requireNonNull(maxAge, "maxAge is null");
      if (maxConnectionsPerEndpoint < 1 || maxWaitingPerEndpoint < 0 || maxIdle < 0) {
        throw new IllegalArgumentException("a limit of the pool is too small");
      }
    }
  }
}
