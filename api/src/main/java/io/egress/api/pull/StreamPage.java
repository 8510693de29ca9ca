package io.egress.api.pull;

import io.egress.document.Fragment;
import io.egress.stream.Cursor;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a page holds: the captures in stream order, the first of their documents already at hand.
 * {@code atHand} is emptied by whoever sends it, so that a document is held no longer than its
 * memory is accounted for.
 */
record StreamPage(
    UUID keyId, UUID workspaceId, long head, List<Entry> entries, Queue<Fragment> atHand) {
  /**
   * {@code bytes} is the size of the stored document, or null where none counts and it is rendered
   * anew.
   */
  record Entry(long position, UUID captureId, @Nullable Integer bytes) {}

  StreamPage(UUID keyId, UUID workspaceId, long head, List<Entry> entries, List<Fragment> first) {
    this(keyId, workspaceId, head, List.copyOf(entries), new ArrayDeque<>(first));
  }

  boolean hasNext() {
    return !entries.isEmpty() && last() < head;
  }

  @Nullable Cursor end() {
    return entries.isEmpty() ? null : new Cursor(workspaceId, last());
  }

  private long last() {
    return entries.get(entries.size() - 1).position();
  }
}
