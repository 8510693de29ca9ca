package io.egress.settings;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.net.URI;
import java.net.URLDecoder;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code postgresql://user:password@host:port/database?sslmode=verify-full&sslrootcert=ca.pem},
 * interpreted like libpq does. The two drivers parse such URLs differently and silently ignore
 * unknown parameters, so both are configured from this class.
 */
public record DatabaseUrl(
    String host, int port, String database, String user, String password, DatabaseTls tls) {
  private static final int PORT_DEFAULT = 5432;
  private static final String FORM =
      "must have the form postgresql://user:password@host:port/database";

  public DatabaseUrl {
    requireNonNull(host, "host is null");
    requireNonNull(database, "database is null");
    requireNonNull(user, "user is null");
    requireNonNull(password, "password is null");
    requireNonNull(tls, "tls is null");
  }

  /** Throws {@link IllegalArgumentException} with a message that shows no secret. */
  public static DatabaseUrl parse(String text) {
    URI uri = uri(text);
    String path = uri.getPath();
    boolean known = "postgresql".equals(uri.getScheme()) || "postgres".equals(uri.getScheme());
    if (!known || uri.getHost() == null || path == null || path.length() < 2) {
      throw new IllegalArgumentException(FORM);
    }
    String account = uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo();
    int colon = account.indexOf(':');
    String user = decoded(colon < 0 ? account : account.substring(0, colon));
    if (user.isEmpty()) {
      throw new IllegalArgumentException(FORM + ": it names no user");
    }
    return new DatabaseUrl(
        uri.getHost(),
        uri.getPort() < 0 ? PORT_DEFAULT : uri.getPort(),
        path.substring(1),
        user,
        colon < 0 ? "" : decoded(account.substring(colon + 1)),
        DatabaseTls.of(parameters(uri.getRawQuery())));
  }

  @Override
  public String toString() {
    return "%s:%d/%s".formatted(host, port, database);
  }

  private static URI uri(String text) {
    try {
      return URI.create(text);
    } catch (IllegalArgumentException notAUri) {
      // Its message would show the whole URL.
      throw new IllegalArgumentException(FORM);
    }
  }

  private static Map<String, String> parameters(@Nullable String query) {
    Map<String, String> parameters = new LinkedHashMap<>();
    if (query != null && !query.isEmpty()) {
      for (String parameter : query.split("&", -1)) {
        int equals = parameter.indexOf('=');
        String name = decoded(equals < 0 ? parameter : parameter.substring(0, equals));
        if (equals < 0 || parameters.put(name, decoded(parameter.substring(equals + 1))) != null) {
          throw new IllegalArgumentException(
              "must have each parameter once, as name=value: " + name);
        }
      }
    }
    return parameters;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
  }
}
