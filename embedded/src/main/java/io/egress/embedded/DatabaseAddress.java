package io.egress.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URLDecoder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** A database URL, {@code postgresql://user:password@host:port/name}. */
public record DatabaseAddress(URI uri) {
  /** The template of a database without tables. */
  public static final String EMPTY = "template1";

  private static final int PORT_DEFAULT = 5432;
  private static final int CONNECT_LIMIT_SECONDS = 10;

  static DatabaseAddress loopback(int port, String user, String password, String name) {
    return new DatabaseAddress(
        URI.create("postgresql://%s:%s@127.0.0.1:%d/%s".formatted(user, password, port, name)));
  }

  public static DatabaseAddress parse(String url) {
    URI uri = URI.create(url);
    if (uri.getHost() == null || uri.getRawPath() == null || uri.getRawPath().length() < 2) {
      throw new IllegalArgumentException(
          "a database is written postgresql://user:password@host:port/name");
    }
    return new DatabaseAddress(uri);
  }

  public DatabaseAddress named(String name) {
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    return new DatabaseAddress(
        URI.create("%s://%s/%s%s".formatted(uri.getScheme(), uri.getRawAuthority(), name, query)));
  }

  /** The server's address as libpq takes it, for a client that names itself {@code application}. */
  String connectionString(String application) {
    String[] account = uri.getUserInfo().split(":", 2);
    return "host=%s port=%d user=%s password=%s application_name=%s"
        .formatted(uri.getHost(), port(), account[0], account[1], application);
  }

  public String url() {
    return uri.toString();
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "%s:%d%s".formatted(uri.getHost(), port(), uri.getRawPath());
  }

  private int port() {
    return uri.getPort() < 0 ? PORT_DEFAULT : uri.getPort();
  }

  boolean hasDatabase(String name) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery("SELECT FROM pg_database WHERE datname = '" + name + "'")) {
      return found.next();
    }
  }

  public String name() {
    return uri.getRawPath().substring(1);
  }

  /** Names were generated here and need no quoting. */
  void createDatabase(String name) throws SQLException {
    execute("CREATE DATABASE " + name);
  }

  /**
   * Copies the template's files, after a checkpoint, instead of logging every block. That takes a
   * third of the processor time where writes are not synced, as in tests.
   */
  public void copyDatabase(String name, String template) throws SQLException {
    execute("CREATE DATABASE " + name + " TEMPLATE " + template + " STRATEGY file_copy");
  }

  public void dropDatabase(String name) throws SQLException {
    execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  public Connection connect() throws SQLException {
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    Properties properties = new Properties();
    properties.setProperty("loginTimeout", Integer.toString(CONNECT_LIMIT_SECONDS));
    String user = uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo();
    int colon = user.indexOf(':');
    if (!user.isEmpty()) {
      properties.setProperty("user", decoded(colon < 0 ? user : user.substring(0, colon)));
    }
    if (colon >= 0) {
      properties.setProperty("password", decoded(user.substring(colon + 1)));
    }
    return DriverManager.getConnection(
        "jdbc:postgresql://%s:%d%s%s".formatted(uri.getHost(), port(), uri.getRawPath(), query),
        properties);
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
  }
}
