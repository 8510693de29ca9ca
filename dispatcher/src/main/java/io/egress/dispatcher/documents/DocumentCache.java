package io.egress.dispatcher.documents;

import io.egress.webhook.send.DocumentHead;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An LRU cache of heads, limited in bytes, shared by all workers of a process. */
public final class DocumentCache {
  private final Map<UUID, DocumentHead> heads = new LinkedHashMap<>(64, 0.75f, true);
  private final long bytesMax;
  private long bytes;

  public DocumentCache(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  synchronized @Nullable DocumentHead get(UUID captureId) {
    return heads.get(captureId);
  }

  /** Unless another one has come in its place. */
  synchronized void remove(UUID captureId, DocumentHead head) {
    if (heads.remove(captureId, head)) {
      bytes -= head.memory();
    }
  }

  synchronized void put(UUID captureId, DocumentHead head) {
    if (head.memory() > bytesMax / 4) {
      return;
    }
    DocumentHead before = heads.put(captureId, head);
    bytes += head.memory() - (before == null ? 0 : before.memory());
    var eldest = heads.values().iterator();
    while (bytes > bytesMax) {
      bytes -= eldest.next().memory();
      eldest.remove();
    }
  }
}
