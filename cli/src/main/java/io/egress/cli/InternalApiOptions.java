package io.egress.cli;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;

/** Address and token of the internal API. */
final class InternalApiOptions {
  /** Of each command that has these options. */
  static final String WHICH_TOKEN =
      "The token is EGRESS_INTERNAL_TOKEN, or the one stored in EGRESS_DATA_DIR.";

  private static final String HOST = "127.0.0.1";
  private static final String PORT = "8081";
  private static final String URL = "EGRESS_INTERNAL_URL";

  @Option(
      names = "--host",
      scope = ScopeType.INHERIT,
      description = "internal listener's host (EGRESS_INTERNAL_HOST, or 127.0.0.1)")
  private @Nullable String host;

  @Option(
      names = "--port",
      scope = ScopeType.INHERIT,
      description = "internal listener's port (EGRESS_INTERNAL_PORT, or 8081)")
  private @Nullable Integer port;

  @Option(
      names = "--internal-url",
      scope = ScopeType.INHERIT,
      paramLabel = "URL",
      converter = InternalUrl.class,
      description =
          "the internal listener behind TLS, https://HOST[:PORT] (EGRESS_INTERNAL_URL), instead of host and port")
  private @Nullable URI url;

  @Option(
      names = "--actor",
      scope = ScopeType.INHERIT,
      defaultValue = "${sys:user.name}",
      description = "your name for the audit log (${DEFAULT-VALUE})")
  private @Nullable String actor;

  private Map<String, String> environment = System.getenv();

  /** Tests run commands without a process of their own. */
  void readFrom(Map<String, String> given) {
    environment = Map.copyOf(given);
  }

  InternalApi api() {
    return new InternalApi(address(), token(environment), actor);
  }

  /** An option goes before every setting. */
  private URI address() {
    if (url != null) {
      return url;
    }
    String given = environment.getOrDefault(URL, "");
    if (given.isBlank() || host != null || port != null) {
      String name = host == null ? environment.getOrDefault("EGRESS_INTERNAL_HOST", HOST) : host;
      return InternalApi.plain(reachable(name), port == null ? portSetting() : port);
    }
    try {
      return new InternalUrl().convert(given.strip());
    } catch (TypeConversionException wrong) {
      throw new UsageException(URL + ": " + wrong.getMessage());
    }
  }

  private int portSetting() {
    String given = environment.getOrDefault("EGRESS_INTERNAL_PORT", PORT);
    try {
      return Integer.parseInt(given);
    } catch (NumberFormatException wrong) {
      throw new UsageException("EGRESS_INTERNAL_PORT: expected a number, not '" + given + "'");
    }
  }

  /** Where the paths of the API begin. */
  static final class InternalUrl implements ITypeConverter<URI> {
    @Override
    public URI convert(String text) {
      URI url;
      try {
        url = new URI(text);
      } catch (URISyntaxException unreadable) {
        throw new TypeConversionException("'" + text + "' is no URL");
      }
      boolean isBase =
          ("https".equals(url.getScheme()) || "http".equals(url.getScheme()))
              && url.getHost() != null
              && url.getRawUserInfo() == null
              && url.getRawQuery() == null
              && url.getRawFragment() == null;
      if (!isBase) {
        throw new TypeConversionException(
            "expected https://HOST[:PORT] of the internal listener, not '" + text + "'");
      }
      return url;
    }
  }

  @Nullable String actor() {
    return actor;
  }

  /** A server that listens on all addresses is reached through the loopback one. */
  private static String reachable(String host) {
    return host.equals("0.0.0.0") || host.equals("::") ? HOST : host;
  }

  private static String token(Map<String, String> environment) {
    String given = environment.getOrDefault(StoredSecret.INTERNAL_TOKEN.setting(), "");
    if (!given.isBlank()) {
      return given.split(",", 2)[0].strip();
    }
    Path dataDir = Path.of(environment.getOrDefault("EGRESS_DATA_DIR", "./data"));
    return StoredSecret.INTERNAL_TOKEN
        .existing(dataDir)
        .orElseThrow(() ->
            new UsageException(
                "set " + StoredSecret.INTERNAL_TOKEN.setting() + ": none is stored in " + dataDir));
  }
}
