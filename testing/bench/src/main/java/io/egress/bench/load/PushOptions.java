package io.egress.bench.load;

import io.vertx.core.json.JsonObject;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How the service runs while webhooks are counted. */
final class PushOptions {
  @Mixin private BenchServers servers = new BenchServers();

  @Option(names = "--plain", description = "http instead of https")
  private boolean plain;

  @Option(
      names = "--endpoint",
      defaultValue = "{}",
      paramLabel = "JSON",
      description = "properties of the endpoints, such as '{\"standard_webhooks\":\"ed25519\"}'")
  private String endpoint = "{}";

  @Option(
      names = "--heap",
      defaultValue = "512",
      description =
          "megabytes of heap of the api and of each dispatcher (default: ${DEFAULT-VALUE})")
  private int heapMegabytes;

  @Option(
      names = "--jvm",
      description = "an option for the dispatcher's JVM, for instance to record a profile")
  private List<String> jvmOptions = List.of();

  BenchServers servers() {
    return servers;
  }

  boolean plain() {
    return plain;
  }

  JsonObject endpoint() {
    return new JsonObject(endpoint);
  }

  int heapMegabytes() {
    return heapMegabytes;
  }

  List<String> jvmOptions() {
    return jvmOptions;
  }
}
