package io.egress.platform.database;

import io.egress.platform.environment.SettingsException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The tables, in view of the roles that a process may log in as: it migrates them as their owner,
 * or waits until another process has. All methods block.
 */
final class Schema {
  /**
   * A role owns the tables of an empty database if it may create some. {@code readable} is true
   * once all privileges were granted.
   */
  private static final String STATE =
      """
      select coalesce(pg_has_role(h.relowner, 'usage'), has_schema_privilege(current_schema(), 'create'), false) as owned,
        coalesce(has_table_privilege(h.oid, 'select'), false) as readable
      from (select to_regclass('flyway_schema_history') as oid) found left join pg_class h using (oid)
      """;

  private static final String SESSION =
      """
      select current_user as role, concat(d.oid, ' ', pg_postmaster_start_time()) as database
      from pg_database d where datname = current_database()
      """;

  /** Another process has not migrated yet. */
  static final class BehindException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BehindException(String message) {
      super(message, null, false, false);
    }

    /** Operators read it in the log, where the name of the class would say nothing. */
    @Override
    @SuppressWarnings("OverrideThrowableToString")
    public String toString() {
      return String.valueOf(getMessage());
    }
  }

  private record Session(String role, String database) {}

  private Schema() {}

  /** Returns false if no role of the settings owns the tables. */
  static boolean migrateIfOwned(DatabaseSettings settings) throws SQLException {
    if (settings.ownerUrl() != null) {
      migrate(settings);
      return true;
    }
    try (Connection connection = connect(settings.url(), DatabaseSettings.URL)) {
      if (!is("owned", connection)) {
        return false;
      }
    }
    Migrations.run(settings.url());
    return true;
  }

  private static void migrate(DatabaseSettings settings) throws SQLException {
    String ownerUrl = settings.asOwner().url();
    Session serving;
    try (Connection connection = connect(settings.url(), DatabaseSettings.URL)) {
      serving = session(connection);
    }
    try (Connection connection = connect(ownerUrl, DatabaseSettings.OWNER_URL)) {
      Session owning = session(connection);
      if (!owning.database().equals(serving.database())) {
        throw new SettingsException(
            List.of(
                DatabaseSettings.OWNER_URL
                    + " leads to another database than "
                    + DatabaseSettings.URL));
      }
      Migrations.run(ownerUrl);
      if (!owning.role().equals(serving.role())) {
        RoleGrants.to(serving.role(), connection);
      }
    }
  }

  /** Throws {@link BehindException} if a migration of this release is missing. */
  static void requireMigrated(DatabaseSettings settings) throws SQLException {
    try (Connection connection = connect(settings.url(), DatabaseSettings.URL)) {
      if (!is("readable", connection) || Migrations.arePending(settings.url())) {
        throw new BehindException(
            "the role %s may not migrate the database, and no process with %s has"
                .formatted(session(connection).role(), DatabaseSettings.OWNER_URL));
      }
    }
  }

  private static boolean is(String column, Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet state = statement.executeQuery(STATE)) {
      return state.next() && state.getBoolean(column);
    }
  }

  private static Session session(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(SESSION)) {
      found.next();
      return new Session(found.getString("role"), found.getString("database"));
    }
  }

  /** {@code setting} is the one that contains the URL. */
  private static Connection connect(String url, String setting) throws SQLException {
    try {
      return ConnectOptions.forJdbc(DatabaseUrl.parse(url)).getConnection();
    } catch (SQLException refused) {
      if (Unavailability.isOfAccount(refused.getSQLState())) {
        throw new SettingsException(List.of(setting + ": " + refused.getMessage()));
      }
      throw refused;
    }
  }
}
