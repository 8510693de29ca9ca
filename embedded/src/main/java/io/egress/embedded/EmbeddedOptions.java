package io.egress.embedded;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Which servers to start and where their data lives; without a folder, in a temporary one that is
 * deleted at the end.
 */
public record EmbeddedOptions(
    @Nullable Path dataDir, Durability durability, boolean postgres, boolean kafka) {
  /** Both servers, their data kept and synced. */
  public static EmbeddedOptions persistent(Path dataDir) {
    return new EmbeddedOptions(dataDir, Durability.SYNCED, true, true);
  }

  /** Both servers, their data deleted when they are closed. */
  public static EmbeddedOptions scratch() {
    return new EmbeddedOptions(null, Durability.SYNCED, true, true);
  }

  /** Faster, and data that a power failure can lose. */
  public EmbeddedOptions unsynced() {
    return new EmbeddedOptions(dataDir, Durability.UNSYNCED, postgres, kafka);
  }

  public EmbeddedOptions withoutPostgres() {
    return new EmbeddedOptions(dataDir, durability, false, kafka);
  }

  public EmbeddedOptions withoutKafka() {
    return new EmbeddedOptions(dataDir, durability, postgres, false);
  }
}
