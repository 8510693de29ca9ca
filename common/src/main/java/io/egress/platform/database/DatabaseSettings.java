package io.egress.platform.database;

import io.egress.platform.environment.SettingsReader;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the database. The format of URLs is that of {@link DatabaseUrl}.
 *
 * @param ownerUrl the same database with the role that owns the schema; null if that is the role of
 *     {@code url}, or if another process migrates
 * @param standby null if the primary answers everything
 */
public record DatabaseSettings(
    String url,
    @Nullable String ownerUrl,
    int poolSize,
    Pooler pooler,
    @Nullable Standby standby,
    Timeouts timeouts) {
  static final String URL = "EGRESS_DATABASE_URL";
  static final String OWNER_URL = "EGRESS_DATABASE_OWNER_URL";

  /** A standby for reads, and how far it may be behind. */
  public record Standby(String url, Duration lagMax) {
    /** The URL contains a password. */
    @Override
    public String toString() {
      return "Standby[url withheld, lagMax=%s]".formatted(lagMax);
    }
  }

  /** The kind of pooler between the service and PostgreSQL. */
  public enum Pooler {
    NONE,
    /** Assigns a server connection to a client for one transaction only. */
    TRANSACTION;

    static Pooler parse(String word) {
      return switch (word) {
        case "none" -> NONE;
        case "transaction" -> TRANSACTION;
        default ->
            throw new IllegalArgumentException("must be none or transaction, not \"" + word + "\"");
      };
    }
  }

  /**
   * Timeouts enforced by the server, even if the process that holds the connection vanishes.
   *
   * @param transaction by PostgreSQL 17 or later
   */
  public record Timeouts(
      Duration statement, Duration lock, Duration idleTransaction, Duration transaction) {}

  public static DatabaseSettings read(SettingsReader reader) {
    String url =
        reader.required(
            URL, "PostgreSQL, as postgresql://user:password@host:port[,host:port]/database");
    check(reader, URL, url);
    String ownerUrl =
        reader.optional(
            OWNER_URL,
            "the same database with the role that owns its tables, in the form of EGRESS_DATABASE_URL;"
                + " the role of EGRESS_DATABASE_URL then reads and writes rows only. Without it, that"
                + " role owns the tables, or another process maintains them");
    check(reader, OWNER_URL, ownerUrl);
    return new DatabaseSettings(
        url,
        ownerUrl,
        reader.whole(
            "EGRESS_DATABASE_POOL_SIZE",
            16,
            8,
            1_000,
            "connections to PostgreSQL per process, about a third of them for pulls"),
        reader.parsed(
            "EGRESS_DATABASE_POOLER",
            "none",
            "transaction if EGRESS_DATABASE_URL is a pooler in transaction mode, such as PgBouncer",
            Pooler::parse),
        standby(reader),
        timeouts(reader));
  }

  private static void check(SettingsReader reader, String name, @Nullable String url) {
    if (url != null && !url.isEmpty()) {
      try {
        DatabaseUrl.parse(url);
      } catch (IllegalArgumentException unusable) {
        reader.fault(name + " " + unusable.getMessage());
      }
    }
  }

  private static @Nullable Standby standby(SettingsReader reader) {
    String url =
        reader.optional(
            "EGRESS_DATABASE_READ_URL",
            "standbys that pages are read from, in the form of EGRESS_DATABASE_URL; the first that is"
                + " close enough behind is used. Without it, the primary answers everything");
    if (url != null) {
      try {
        DatabaseUrl.parseStandby(url);
      } catch (IllegalArgumentException unusable) {
        reader.fault("EGRESS_DATABASE_READ_URL " + unusable.getMessage());
      }
    }
    Duration lagMax =
        reader.duration(
            "EGRESS_DATABASE_READ_LAG",
            "5s",
            Duration.ofSeconds(1),
            "how far a standby of EGRESS_DATABASE_READ_URL may be behind; beyond that, the primary"
                + " is used");
    return url == null ? null : new Standby(url, lagMax);
  }

  private static Timeouts timeouts(SettingsReader reader) {
    return new Timeouts(
        reader.fixedDuration("statement", "30s"),
        reader.fixedDuration("lock", "15s"),
        reader.fixedDuration("idle-transaction", "10s"),
        reader.fixedDuration("transaction", "1m"));
  }

  /** For connections of the role that owns the schema, which {@code ownerUrl} names. */
  DatabaseSettings asOwner() {
    return new DatabaseSettings(
        ownerUrl == null ? url : ownerUrl, null, poolSize, pooler, standby, timeouts);
  }

  /** The URLs contain passwords. */
  @Override
  public String toString() {
    return "DatabaseSettings[url withheld, poolSize=%d, pooler=%s, standby=%s, timeouts=%s]"
        .formatted(poolSize, pooler, standby, timeouts);
  }
}
