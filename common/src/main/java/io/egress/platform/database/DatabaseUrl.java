package io.egress.platform.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code postgresql://user:password@host:port,host:port/database?sslmode=verify-full}, interpreted
 * like libpq does. The two drivers parse such URLs differently and silently ignore unknown
 * parameters, so both are configured from this class.
 *
 * @param hosts in the order in which they are tried; the first that is suitable is used
 * @param connectTimeout for each host
 */
public record DatabaseUrl(
    List<Host> hosts,
    String database,
    String user,
    String password,
    DatabaseTls tls,
    Duration connectTimeout) {
  private static final int PORT_DEFAULT = 5432;
  private static final int PORT_MAX = 65_535;
  private static final String CONNECT_TIMEOUT_DEFAULT = "5";

  /** The sessions that the service can use; it always checks for them. */
  private static final Set<String> WRITING_SESSIONS = Set.of("read-write", "primary");

  /** The same of those that only read. */
  private static final Set<String> READING_SESSIONS = Set.of("read-only", "standby");

  /** The whole is no URI, because it may name several hosts. */
  private static final Pattern PARTS =
      Pattern.compile(
          "postgres(ql)?://(?<account>[^@/?#\\s]*)@(?<hosts>[^@/?#\\s]+)/(?<database>[^/?#\\s]+)"
              + "(\\?(?<parameters>[^#]*))?");

  private static final String FORM =
      "must have the form postgresql://user:password@host:port/database";

  /** An IPv6 address has brackets. */
  public record Host(String name, int port) {
    @Override
    public String toString() {
      return name + ":" + port;
    }

    private static Host parse(String text) {
      int colon = text.lastIndexOf(':');
      boolean hasPort = colon > text.lastIndexOf(']');
      String name = hasPort ? text.substring(0, colon) : text;
      String port = hasPort ? text.substring(colon + 1) : "";
      if (name.isEmpty() || name.contains(":") != name.startsWith("[")) {
        throw new IllegalArgumentException(FORM);
      }
      return new Host(name, port.isEmpty() ? PORT_DEFAULT : whole(port, 1, PORT_MAX, FORM));
    }
  }

  public DatabaseUrl {
    hosts = List.copyOf(hosts);
  }

  /** Throws {@link IllegalArgumentException} with a message that shows no secret. */
  public static DatabaseUrl parse(String text) {
    return parse(text, WRITING_SESSIONS, "but the service writes: leave it out, or use read-write");
  }

  /** The same for hosts that are only read from. */
  public static DatabaseUrl parseStandby(String text) {
    return parse(
        text, READING_SESSIONS, "but pages are read from standbys: leave it out, or use standby");
  }

  private static DatabaseUrl parse(String text, Set<String> sessions, String otherwise) {
    Matcher parts = PARTS.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException(FORM);
    }
    String account = parts.group("account");
    int colon = account.indexOf(':');
    String user = decoded(colon < 0 ? account : account.substring(0, colon));
    if (user.isEmpty()) {
      throw new IllegalArgumentException(FORM + ": it names no user");
    }
    Map<String, String> parameters = parameters(parts.group("parameters"));
    Duration connectTimeout = connectTimeout(parameters);
    String wanted = parameters.remove("target_session_attrs");
    if (wanted != null && !sessions.contains(wanted)) {
      throw new IllegalArgumentException(
          "has target_session_attrs=%s, %s".formatted(wanted, otherwise));
    }
    return new DatabaseUrl(
        hosts(parts.group("hosts")),
        decoded(parts.group("database")),
        user,
        colon < 0 ? "" : decoded(account.substring(colon + 1)),
        DatabaseTls.of(parameters),
        connectTimeout);
  }

  @Override
  public String toString() {
    return "%s/%s"
        .formatted(hosts.stream().map(Host::toString).collect(Collectors.joining(",")), database);
  }

  private static List<Host> hosts(String text) {
    List<Host> hosts = new ArrayList<>();
    for (String host : text.split(",", -1)) {
      hosts.add(Host.parse(host));
    }
    return hosts;
  }

  private static Duration connectTimeout(Map<String, String> parameters) {
    String seconds = parameters.remove("connect_timeout");
    return Duration.ofSeconds(
        whole(
            seconds == null ? CONNECT_TIMEOUT_DEFAULT : seconds,
            1,
            60,
            "has a connect_timeout that is not a number of seconds from 1 to 60"));
  }

  private static int whole(String text, int min, int max, String fault) {
    try {
      int value = Integer.parseInt(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // The fault says so.
    }
    throw new IllegalArgumentException(fault);
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
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
    } catch (IllegalArgumentException notEncoded) {
      // Its message would show a part of the password.
      throw new IllegalArgumentException(FORM);
    }
  }
}
