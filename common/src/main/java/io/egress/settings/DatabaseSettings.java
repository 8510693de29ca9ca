package io.egress.settings;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/** The URL has the form that {@link DatabaseUrl} reads. */
public record DatabaseSettings(String url, int poolSize, Duration statementTimeout) {
  public DatabaseSettings {
    requireNonNull(url, "url is null");
    requireNonNull(statementTimeout, "statementTimeout is null");
  }

  static DatabaseSettings read(SettingsReader reader) {
    String url =
        reader.required(
            "EGRESS_DATABASE_URL", "PostgreSQL, as postgresql://user:password@host:port/database");
    if (!url.isEmpty()) {
      try {
        DatabaseUrl.parse(url);
      } catch (IllegalArgumentException unusable) {
        reader.fault("EGRESS_DATABASE_URL " + unusable.getMessage());
      }
    }
    return new DatabaseSettings(
        url,
        reader.whole(
            "EGRESS_DATABASE_POOL_SIZE",
            16,
            8,
            1_000,
            "connections to PostgreSQL a process opens, half of them for pulls"),
        reader.duration(
            "EGRESS_DATABASE_STATEMENT_TIMEOUT",
            "30s",
            Duration.ofMillis(100),
            "how long one statement may run before the database ends it"));
  }

  /** The URL holds a password. */
  @Override
  public String toString() {
    return "DatabaseSettings[url withheld, poolSize=%d, statementTimeout=%s]"
        .formatted(poolSize, statementTimeout);
  }
}
