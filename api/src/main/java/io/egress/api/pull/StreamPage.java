package io.egress.api.pull;

import io.egress.transcript.document.Fragment;
import io.egress.transcript.stream.Cursor;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The captures of a page in stream order, the first of their documents loaded. The sender empties
 * {@code atHand}, so that a document is not held longer than its memory is reserved.
 *
 * @param workspaceId the workspace of the key
 * @param follows whether the stream contains the history for which the cursor was issued
 * @param head the position of the stream's newest capture; null for a workspace without captures
 * @param readableHead the same of the newest that was not erased
 * @param standbyErasures which erasures the standby had that the page was read from; null if it was
 *     the primary
 */
record StreamPage(
    UUID keyId,
    UUID workspaceId,
    boolean follows,
    @Nullable Long head,
    @Nullable Long readableHead,
    @Nullable String standbyErasures,
    List<Entry> entries,
    Queue<Fragment> atHand) {
  /** {@code bytes} is the size of the stored document, null if it is stale. */
  record Entry(Cursor cursor, UUID captureId, @Nullable Integer bytes) {}

  StreamPage(
      UUID keyId,
      UUID workspaceId,
      boolean follows,
      @Nullable Long head,
      @Nullable Long readableHead,
      @Nullable String standbyErasures,
      List<Entry> entries,
      List<Fragment> first) {
    this(
        keyId,
        workspaceId,
        follows,
        head,
        readableHead,
        standbyErasures,
        List.copyOf(entries),
        new ArrayDeque<>(first));
  }

  /** Without what entered the stream after {@code position}. */
  StreamPage upTo(long position) {
    Cursor end = end();
    if (end == null || end.position() <= position) {
      return this;
    }
    List<Entry> kept =
        entries.stream().filter(entry -> entry.cursor().position() <= position).toList();
    List<Fragment> first = atHand.stream().limit(kept.size()).toList();
    return new StreamPage(
        keyId, workspaceId, follows, position, position, standbyErasures, kept, first);
  }

  boolean hasNext() {
    Cursor end = end();
    return end != null && readableHead != null && end.position() < readableHead;
  }

  @Nullable Cursor end() {
    return entries.isEmpty() ? null : entries.get(entries.size() - 1).cursor();
  }
}
