package io.egress.embedded;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which servers to start and where their data lives; without a folder, in a temporary one that is
 * deleted at the end.
 *
 * @param brokerJvm further options of the broker's JVM
 */
public record EmbeddedOptions(
    @Nullable Path dataDir,
    Durability durability,
    boolean postgres,
    boolean kafka,
    List<String> brokerJvm) {
  /** Both servers, their data kept and synced. */
  public static EmbeddedOptions persistent(Path dataDir) {
    return new EmbeddedOptions(dataDir, Durability.SYNCED, true, true, List.of());
  }

  /** Both servers, their data deleted when they are closed. */
  public static EmbeddedOptions scratch() {
    return new EmbeddedOptions(null, Durability.SYNCED, true, true, List.of());
  }

  /** Faster, and data that a power failure can lose. */
  public EmbeddedOptions unsynced() {
    return new EmbeddedOptions(dataDir, Durability.UNSYNCED, postgres, kafka, brokerJvm);
  }

  public EmbeddedOptions withoutPostgres() {
    return new EmbeddedOptions(dataDir, durability, false, kafka, brokerJvm);
  }

  public EmbeddedOptions withoutKafka() {
    return new EmbeddedOptions(dataDir, durability, postgres, false, brokerJvm);
  }

  public EmbeddedOptions withBrokerJvm(List<String> options) {
    return new EmbeddedOptions(dataDir, durability, postgres, kafka, List.copyOf(options));
  }
}
