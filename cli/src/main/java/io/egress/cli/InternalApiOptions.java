package io.egress.cli;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** Address and token of the internal API. */
final class InternalApiOptions {
  @Option(
      names = "--host",
      scope = ScopeType.INHERIT,
      defaultValue = "${env:EGRESS_INTERNAL_HOST:-127.0.0.1}",
      description = "internal listener's host (EGRESS_INTERNAL_HOST, or 127.0.0.1)")
  private String host = "127.0.0.1";

  @Option(
      names = "--port",
      scope = ScopeType.INHERIT,
      defaultValue = "${env:EGRESS_INTERNAL_PORT:-8081}",
      description = "internal listener's port (EGRESS_INTERNAL_PORT, or 8081)")
  private int port;

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
    return new InternalApi(reachable(host), port, token(environment), actor);
  }

  @Nullable String actor() {
    return actor;
  }

  /** A server that listens on all addresses is reached through the loopback one. */
  private static String reachable(String host) {
    return host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
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
