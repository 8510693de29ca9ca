package io.egress.platform.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the role that serves the privileges of {@code db/privileges.sql}, after each migration and
 * at each start of a process that may. They take effect together.
 */
final class RoleGrants {
  private static final Logger log = LoggerFactory.getLogger(RoleGrants.class);

  private static final String MISSING = resource("/db/privileges.sql");

  /** Of the processes that grant; "grants" in ASCII. */
  private static final String LOCK = "select pg_advisory_xact_lock(%d)".formatted(0x6772616e7473L);

  /** SQLSTATE of a statement that finds a row of the catalog changed, as by ANALYZE. */
  private static final String CONCURRENT_CHANGE = "XX000";

  private static final int TRIES_MAX = 5;

  private static final String MAY_CHANGE_SCHEMA =
      """
      select pg_has_role(?, c.relowner, 'usage') from pg_class c where c.oid = 'flyway_schema_history'::regclass
      """;

  private RoleGrants() {}

  /** {@code owner} is a connection of the role that owns the tables. */
  static void to(String role, Connection owner) throws SQLException {
    owner.setAutoCommit(false);
    for (int attempt = 1; !isDone(role, owner, attempt); attempt++) {}
    if (mayChangeSchema(role, owner)) {
      log.warn(
          "The role {} of {} is a superuser or a member of the role that owns the tables: it may"
              + " change what should be out of its reach",
          role,
          DatabaseSettings.URL);
    }
    owner.commit();
  }

  private static boolean isDone(String role, Connection owner, int attempt) throws SQLException {
    try (Statement statement = owner.createStatement()) {
      statement.execute(LOCK);
      List<String> missing = missing(role, owner);
      if (!missing.isEmpty()) {
        statement.execute(String.join("; ", missing));
      }
      owner.commit();
      if (!missing.isEmpty()) {
        log.info("The role {} has its privileges", role);
      }
      return true;
    } catch (SQLException refused) {
      owner.rollback();
      if (attempt == TRIES_MAX || !CONCURRENT_CHANGE.equals(refused.getSQLState())) {
        throw refused;
      }
      return false;
    }
  }

  private static List<String> missing(String role, Connection owner) throws SQLException {
    List<String> statements = new ArrayList<>();
    try (PreparedStatement query = owner.prepareStatement(MISSING)) {
      query.setString(1, role);
      try (ResultSet found = query.executeQuery()) {
        while (found.next()) {
          statements.add(found.getString(1));
        }
      }
    }
    return statements;
  }

  private static boolean mayChangeSchema(String role, Connection owner) throws SQLException {
    try (PreparedStatement query = owner.prepareStatement(MAY_CHANGE_SCHEMA)) {
      query.setString(1, role);
      try (ResultSet found = query.executeQuery()) {
        return found.next() && found.getBoolean(1);
      }
    }
  }

  private static String resource(String name) {
    try (InputStream in = Objects.requireNonNull(RoleGrants.class.getResourceAsStream(name))) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
