package io.egress.embedded;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which servers to start and where their data lives; without a folder, in a temporary one that is
 * deleted at the end.
 *
 * @param brokerJvm further options of the broker's JVM
 * @param original a data folder that is not in use; PostgreSQL begins with a copy of its data
 */
public record EmbeddedOptions(
    @Nullable Path dataDir,
    Durability durability,
    boolean postgres,
    boolean kafka,
    List<String> brokerJvm,
    @Nullable Path original) {
  /** Both servers, their data kept and synced. */
  public static EmbeddedOptions persistent(Path dataDir) {
    return new EmbeddedOptions(dataDir, Durability.SYNCED, true, true, List.of(), null);
  }

  /** Both servers, their data deleted when they are closed. */
  public static EmbeddedOptions scratch() {
    return new EmbeddedOptions(null, Durability.SYNCED, true, true, List.of(), null);
  }

  /** Faster, and data that a power failure can lose. */
  public EmbeddedOptions unsynced() {
    return new EmbeddedOptions(dataDir, Durability.UNSYNCED, postgres, kafka, brokerJvm, original);
  }

  public EmbeddedOptions withoutPostgres() {
    return new EmbeddedOptions(dataDir, durability, false, kafka, brokerJvm, original);
  }

  public EmbeddedOptions withoutKafka() {
    return new EmbeddedOptions(dataDir, durability, postgres, false, brokerJvm, original);
  }

  public EmbeddedOptions withBrokerJvm(List<String> options) {
    return new EmbeddedOptions(
        dataDir, durability, postgres, kafka, List.copyOf(options), original);
  }

  public EmbeddedOptions withCopyOf(Path folder) {
    return new EmbeddedOptions(dataDir, durability, postgres, kafka, brokerJvm, folder);
  }
}
