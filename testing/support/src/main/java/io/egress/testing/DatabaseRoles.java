package io.egress.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.embedded.DatabaseAddress;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** The two roles of {@code deploy/postgres/roles.sql}, for an empty database. */
public final class DatabaseRoles implements AutoCloseable {
  private static final String PASSWORD = "of-a-test";

  private final String url;
  private final DatabaseAddress superuser;
  private final String owner;
  private final String service;

  /** {@code url} is of a superuser. */
  public DatabaseRoles(String url) throws IOException, SQLException {
    this.url = url;
    this.superuser = DatabaseAddress.parse(url);
    this.owner = "owner_of_" + superuser.name();
    this.service = "service_of_" + superuser.name();
    execute(script());
  }

  private String script() throws IOException {
    Map<String, String> values =
        Map.of(
            "database", superuser.name(),
            "owner", owner,
            "owner_password", PASSWORD,
            "service", service,
            "service_password", PASSWORD);
    String script = Files.readString(file(), UTF_8);
    for (Map.Entry<String, String> value : values.entrySet()) {
      script =
          script
              .replace(":\"" + value.getKey() + "\"", "\"" + value.getValue() + "\"")
              .replace(":'" + value.getKey() + "'", "'" + value.getValue() + "'");
    }
    return script.lines().filter(line -> !line.startsWith("--")).collect(Collectors.joining("\n"));
  }

  /** Tests run in the folders of their modules. */
  private static Path file() {
    Path script = Path.of("deploy", "postgres", "roles.sql");
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve(script))) {
      folder = Objects.requireNonNull(folder.getParent(), "no folder has " + script);
    }
    return folder.resolve(script);
  }

  public String ownerUrl() {
    return urlOf(owner);
  }

  public String serviceUrl() {
    return urlOf(service);
  }

  public String owner() {
    return owner;
  }

  public String service() {
    return service;
  }

  private String urlOf(String role) {
    return url.replace(URI.create(url).getRawUserInfo() + "@", role + ":" + PASSWORD + "@");
  }

  /** As a superuser. */
  public void execute(String sql) throws SQLException {
    try (Connection connection = superuser.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Drops the roles with all that they own. */
  @Override
  public void close() throws SQLException {
    execute("drop owned by %1$s cascade; drop role %1$s".formatted(service));
    execute(
        "alter database %2$s owner to current_user; drop owned by %1$s cascade; drop role %1$s"
            .formatted(owner, superuser.name()));
  }
}
