package io.egress.bench.torture;

import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * What a reader or a receiver has: of each capture a digest of the document, and the revision that
 * it is of. What is older than what it has, it drops.
 */
final class Copy {
  private record Held(long revision, String document) {}

  private static final String ERASED = "";

  private final Map<UUID, Held> captures = new HashMap<>();

  /** Returns whether the capture was erased before. */
  synchronized boolean take(UUID captureId, long revision, JsonObject document) {
    Held held = captures.get(captureId);
    if (held == null || revision >= held.revision()) {
      captures.put(captureId, new Held(revision, shown(document)));
    }
    return held != null && held.document().equals(ERASED);
  }

  synchronized void erase(UUID captureId) {
    captures.put(captureId, new Held(Long.MAX_VALUE, ERASED));
  }

  /** Those that were not erased. */
  synchronized Map<UUID, String> documents() {
    Map<UUID, String> documents = new HashMap<>();
    captures.forEach((id, held) -> {
      if (!held.document().equals(ERASED)) {
        documents.put(id, held.document());
      }
    });
    return documents;
  }

  /** The document but for when it was sent. */
  static String shown(JsonObject document) {
    JsonObject shown = document.copy();
    shown.remove("emitted_at");
    return Integer.toHexString(shown.encode().hashCode()) + " " + shown.getString("title");
  }
}
