package io.egress.api.pull;

import io.egress.transcript.document.Fragment;
import io.egress.transcript.stream.Cursor;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The captures of a page in the order of its feed, the first of their documents loaded. The sender
 * empties {@code atHand}, so that a document is not held longer than its memory is reserved.
 *
 * @param workspaceId the workspace of the key
 * @param follows whether the feed contains the history for which the cursor was issued
 * @param head the position of the feed's newest entry; null for a workspace without captures
 * @param readableHead the same of the newest that is sent: a capture that was not erased, any
 *     change
 * @param standby what the standby had that the page was read from; null if it was the primary
 * @param enteredUpTo up to which position it is entered that the key was sent all that follows the
 *     cursor; null if what comes first is not
 */
record StreamPage(
    UUID keyId,
    UUID workspaceId,
    boolean follows,
    @Nullable Long head,
    @Nullable Long readableHead,
    @Nullable StandbyState standby,
    @Nullable Long enteredUpTo,
    List<Entry> entries,
    Queue<Fragment> atHand) {
  /**
   * An entry of the feed.
   *
   * @param bytes the size of the stored document, null if it is stale
   * @param revision the capture's when the page was read, if an older document might be read later
   * @param change null in the stream
   */
  record Entry(
      Cursor cursor,
      UUID captureId,
      @Nullable Integer bytes,
      long revision,
      @Nullable Change change) {
    boolean isErased() {
      return change != null && change.erasedFor() != null;
    }
  }

  /**
   * How far a standby is.
   *
   * @param erasures which erasures of the workspace it has
   * @param changes the number of the newest change that it has
   */
  record StandbyState(String erasures, long changes) {}

  /**
   * What has happened to a capture.
   *
   * @param erasedFor the reason of its erasure; null if it was not erased
   */
  record Change(Instant at, @Nullable String erasedFor) {}

  StreamPage(
      UUID keyId,
      UUID workspaceId,
      boolean follows,
      @Nullable Long head,
      @Nullable Long readableHead,
      @Nullable StandbyState standby,
      @Nullable Long enteredUpTo,
      List<Entry> entries,
      List<Fragment> first) {
    this(
        keyId,
        workspaceId,
        follows,
        head,
        readableHead,
        standby,
        enteredUpTo,
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
    long documents = kept.stream().filter(entry -> !entry.isErased()).count();
    List<Fragment> first = atHand.stream().limit(documents).toList();
    return new StreamPage(
        keyId, workspaceId, follows, position, position, standby, enteredUpTo, kept, first);
  }

  boolean hasNext() {
    Cursor end = end();
    return end != null && readableHead != null && end.position() < readableHead;
  }

  boolean isEnteredUpTo(long position) {
    return enteredUpTo != null && enteredUpTo >= position;
  }

  @Nullable Cursor end() {
    return entries.isEmpty() ? null : entries.get(entries.size() - 1).cursor();
  }
}
