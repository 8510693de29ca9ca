package io.egress.settings;

import io.egress.platform.environment.ByteSizes;
import io.egress.platform.environment.SettingsReader;
import java.util.Optional;

/**
 * The memory that requests may take, as shares of the heap.
 *
 * @param hookBytes for captures that are being stored
 * @param pullBytes for compressed documents of pages that are being sent
 */
public record MemoryShares(long hookBytes, long pullBytes) {
  /**
   * The most memory that a byte of a body takes until its capture is committed: received, parsed,
   * serialized, rendered and compressed. The worst case, 14 bytes, is long text beyond Latin-1 that
   * does not compress.
   */
  public static final int PER_BODY_BYTE = 16;

  private static final int HOOK_SHARE = 2;
  private static final int PULL_SHARE = 10;

  static MemoryShares read(SettingsReader reader, long maxCaptureBytes) {
    MemoryShares shares = of(maxCaptureBytes, Runtime.getRuntime().maxMemory());
    return new MemoryShares(
        fixed(reader, "hook-memory", shares.hookBytes()),
        fixed(reader, "pull-memory", shares.pullBytes()));
  }

  private static long fixed(SettingsReader reader, String name, long share) {
    String given = reader.fixed(name, "");
    return given.isEmpty() ? share : ByteSizes.parse(given);
  }

  /** The largest capture is accepted, whatever the heap. */
  static MemoryShares of(long maxCaptureBytes, long heapBytes) {
    return new MemoryShares(
        Math.max(heapBytes / HOOK_SHARE, maxCaptureBytes * PER_BODY_BYTE), heapBytes / PULL_SHARE);
  }

  /** Why memory may run out, if it may. */
  public Optional<String> problem(long heapBytes) {
    return hookBytes + pullBytes <= heapBytes / 4 * 3
        ? Optional.empty()
        : Optional.of(
            "captures of EGRESS_MAX_CAPTURE_SIZE may take %dMiB: -Xmx should be %dMiB or more, not %dMiB"
                .formatted(hookBytes >> 20, (hookBytes * HOOK_SHARE) >> 20, heapBytes >> 20));
  }
}
