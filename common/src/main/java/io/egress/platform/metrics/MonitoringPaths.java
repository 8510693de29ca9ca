package io.egress.platform.metrics;

/** The paths of probes and scrapers, which are neither logged nor traced. */
public final class MonitoringPaths {
  private MonitoringPaths() {}

  public static boolean include(String path) {
    return path.startsWith("/health/") || path.equals("/metrics");
  }
}
