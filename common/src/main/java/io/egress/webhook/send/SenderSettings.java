package io.egress.webhook.send;

import io.egress.webhook.endpoint.ClientCertificate;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits of attempts and connections.
 *
 * @param attemptTimeout covers everything from the DNS lookup to the end of the response
 * @param keepName how long a DNS result is cached
 * @param proxy null if receivers are connected to directly
 * @param certificate null if receivers that request a certificate get none
 */
public record SenderSettings(
    Duration attemptTimeout,
    Duration keepName,
    PoolLimits pool,
    @Nullable ForwardProxy proxy,
    @Nullable ClientCertificate certificate) {
  public static final SenderSettings DEFAULTS =
      new SenderSettings(Duration.ofSeconds(10), Duration.ofSeconds(5), PoolLimits.DEFAULTS);

  /** Without a proxy and a certificate. */
  public SenderSettings(Duration attemptTimeout, Duration keepName, PoolLimits pool) {
    this(attemptTimeout, keepName, pool, null, null);
  }

  /** For attempts that may take so long, otherwise the defaults. */
  public static SenderSettings of(
      Duration attemptTimeout,
      @Nullable ForwardProxy proxy,
      @Nullable ClientCertificate certificate) {
    return new SenderSettings(
        attemptTimeout, DEFAULTS.keepName(), DEFAULTS.pool(), proxy, certificate);
  }

  /**
   * Limits of connections.
   *
   * @param maxPerHost connections open or being opened to one address under one host name, per
   *     event loop. Endpoints behind one host share them, so this is as high as the number of
   *     concurrent attempts: what keeps one endpoint from delaying another is its own limit on
   *     attempts
   * @param maxOpeningPerEndpoint connections being opened at a time; attempts beyond it fail
   *     immediately
   * @param maxIdle idle connections over all endpoints; each event loop has its share, and beyond
   *     it the connection idle for longest is closed
   * @param idleTimeout how long an unused connection is kept, in whole seconds
   */
  public record PoolLimits(
      int maxPerHost, int maxOpeningPerEndpoint, int maxIdle, Duration idleTimeout) {
    public static final PoolLimits DEFAULTS =
        new PoolLimits(2_048, 64, 2_000, Duration.ofSeconds(30));

    public PoolLimits {
      if (maxPerHost < 1 || maxOpeningPerEndpoint < 1 || maxIdle < 0) {
        throw new IllegalArgumentException("a limit of the pool is too small");
      }
      if (idleTimeout.toSeconds() < 1) {
        throw new IllegalArgumentException("idleTimeout is below a second");
      }
    }
  }
}
