package io.egress.platform.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes indexes without locking their tables. PostgreSQL reads the whole table twice and waits for
 * every transaction that is older, such as a backup, which can take hours: so the connection is one
 * of its own, without the time limits of pools. Thread-safe.
 */
final class IndexBuilder implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(IndexBuilder.class);

  private static final String WITHOUT_LIMITS =
      "set statement_timeout = 0; set lock_timeout = 0; set idle_session_timeout = 0";

  private final DatabaseSettings settings;
  private @Nullable Statement running;
  private boolean closed;

  /** Connects when there is something to make. */
  IndexBuilder(DatabaseSettings settings) {
    this.settings = settings;
  }

  /** Blocks. Behind a pooler, the limits of the role apply. */
  void make(String name, String definition, boolean isBroken) throws SQLException {
    try (Connection connection =
            ConnectOptions.forJdbc(DatabaseUrl.parse(settings.url())).getConnection();
        Statement statement = connection.createStatement()) {
      if (begin(statement)) {
        if (settings.pooler() == DatabaseSettings.Pooler.NONE) {
          statement.execute(WITHOUT_LIMITS);
        }
        if (isBroken) {
          statement.execute("drop index concurrently if exists " + name);
        }
        log.atInfo().addKeyValue("index", name).log("Making an index in the background");
        statement.execute("create index concurrently if not exists " + name + " " + definition);
        log.atInfo().addKeyValue("index", name).log("Made an index");
      }
    } finally {
      end();
    }
  }

  private synchronized boolean begin(Statement statement) {
    running = statement;
    return !closed;
  }

  private synchronized void end() {
    running = null;
  }

  /** Ends what is being made; another process begins it again. */
  @Override
  public synchronized void close() {
    closed = true;
    if (running != null) {
      try {
        running.cancel();
      } catch (SQLException unreachable) {
        log.debug("The making of an index could not be canceled", unreachable);
      }
    }
  }
}
