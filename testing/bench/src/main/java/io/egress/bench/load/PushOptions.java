package io.egress.bench.load;

import java.util.List;
import picocli.CommandLine.Option;

/** How the service runs while webhooks are counted. */
final class PushOptions {
  @Option(names = "--plain", description = "http instead of https")
  private boolean plain;

  @Option(names = "--standard-webhooks", description = "endpoints with Standard Webhooks")
  private boolean standardWebhooks;

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

  boolean plain() {
    return plain;
  }

  boolean standardWebhooks() {
    return standardWebhooks;
  }

  int heapMegabytes() {
    return heapMegabytes;
  }

  List<String> jvmOptions() {
    return jvmOptions;
  }
}
