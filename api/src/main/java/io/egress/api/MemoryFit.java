package io.egress.api;

import io.egress.api.hook.Hook;
import io.egress.settings.ApiSettings;
import java.util.ArrayList;
import java.util.List;

/** Checks whether the heap is large enough for the configured memory limits. */
final class MemoryFit {
  private MemoryFit() {}

  /** The limits that do not fit, each with the settings to change. */
  static List<String> problems(ApiSettings api, long heapBytes) {
    List<String> problems = new ArrayList<>();
    long largest = Hook.cost(api.maxCaptureBytes());
    if (largest > api.hookMemoryBytes()) {
      problems.add(
          "a capture of EGRESS_MAX_CAPTURE_SIZE may take %s, more than EGRESS_HOOK_MEMORY (%s)"
              .formatted(mebibytes(largest), mebibytes(api.hookMemoryBytes())));
    }
    long together = api.hookMemoryBytes() + api.pullMemoryBytes();
    if (together > heapBytes / 4 * 3) {
      problems.add(
          "EGRESS_HOOK_MEMORY and EGRESS_PULL_MEMORY are %s, more than three quarters of the heap (%s)"
              .formatted(mebibytes(together), mebibytes(heapBytes)));
    }
    return problems;
  }

  private static String mebibytes(long bytes) {
    return (bytes >> 20) + "MiB";
  }
}
