package io.egress.metrics;

/** What probes and scrapers ask for, many times a minute: neither logged nor traced. */
public final class MonitoringPaths {
  private MonitoringPaths() {}

  public static boolean include(String path) {
    return path.startsWith("/health/") || path.equals("/metrics");
  }
}
