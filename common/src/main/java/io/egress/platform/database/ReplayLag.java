package io.egress.platform.database;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.OptionalLong;

/**
 * How far a standby is behind its primary: it has everything that the primary had written at an
 * instant. Neither clocks nor the standby's own opinion matter: one that is cut off does not know
 * what it misses, and one whose primary is idle has replayed nothing for a long time. Positions are
 * those of the write-ahead log. Thread-safe.
 */
final class ReplayLag {
  private static final int REMEMBERED_MAX = 600;

  private record Written(long position, long nanos) {}

  private final Deque<Written> written = new ArrayDeque<>();

  /** The primary had written up to {@code position}, not earlier than at {@code nanos}. */
  synchronized void written(long position, long nanos) {
    Written newest = written.peekLast();
    if (newest != null && position < newest.position()) {
      // Another primary, whose history is another one from some position on.
      written.clear();
    } else if (newest != null && position == newest.position()) {
      written.removeLast();
    }
    written.addLast(new Written(position, nanos));
    if (written.size() > REMEMBERED_MAX) {
      written.removeFirst();
    }
  }

  /**
   * The instant from which on something may be missing where the log was replayed up to {@code
   * position}; empty if that is longer ago than is remembered.
   */
  synchronized OptionalLong completeUpTo(long position) {
    Iterator<Written> newestFirst = written.descendingIterator();
    while (newestFirst.hasNext()) {
      Written each = newestFirst.next();
      if (each.position() <= position) {
        return OptionalLong.of(each.nanos());
      }
    }
    return OptionalLong.empty();
  }
}
