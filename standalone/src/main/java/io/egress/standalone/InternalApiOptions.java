package io.egress.standalone;

import io.egress.standalone.run.InternalApi;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** Where a command of administration finds the internal API. */
final class InternalApiOptions {
  @Option(names = "--host", defaultValue = "127.0.0.1", description = "internal listener's host")
  private String host = "127.0.0.1";

  @Option(names = "--port", defaultValue = "8081", description = "internal listener's port")
  private int port;

  InternalApi api() {
    return new InternalApi(host, port, token(System.getenv()));
  }

  private static String token(Map<String, String> environment) {
    String given = environment.getOrDefault(KeptSecret.INTERNAL_TOKEN.setting(), "");
    if (!given.isBlank()) {
      return given;
    }
    Path dataDir = Path.of(environment.getOrDefault("EGRESS_DATA_DIR", "./data"));
    return KeptSecret.INTERNAL_TOKEN
        .existing(dataDir)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "set " + KeptSecret.INTERNAL_TOKEN.setting() + ": none is kept in " + dataDir));
  }
}
