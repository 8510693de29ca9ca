package io.egress.send;

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
   * @param maxPerHost open or being opened to one address under one host name, on one event loop.
   *     Endpoints behind one host share these, so it is as high as the attempts that run at a time:
   *     what keeps one endpoint from delaying another is its own limit on attempts
   * @param maxOpeningPerEndpoint being opened at a time; attempts beyond it fail at once
   * @param maxIdle kept open over all endpoints; each event loop has its share, and beyond it the
   *     one idle for longest is closed
   * @param idleTimeout how long a connection is kept without use, in whole seconds
   */
  public record PoolLimits(
      int maxPerHost, int maxOpeningPerEndpoint, int maxIdle, Duration idleTimeout) {
    public static final PoolLimits DEFAULTS =
        new PoolLimits(2_048, 64, 2_000, Duration.ofSeconds(30));

    public PoolLimits {
      requireNonNull(idleTimeout, "idleTimeout is null");
      if (maxPerHost < 1 || maxOpeningPerEndpoint < 1 || maxIdle < 0) {
        throw new IllegalArgumentException("a limit of the pool is too small");
      }
      if (idleTimeout.toSeconds() < 1) {
        throw new IllegalArgumentException("idleTimeout is below a second");
      }
    }
  }
}
