package io.egress.dispatcher.ledger;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * One assignment of one partition: the consumed records in offset order, from the first incomplete
 * one. It exists because records complete in any order while Kafka keeps a single offset.
 *
 * <p>A ring of offsets holds the span from the oldest incomplete record to the newest consumed one.
 * A completed offset stays in it as its complement (negative) until it is the oldest, so the head
 * of a nonempty ring is never complete. Offsets only increase, so the index of an offset is known
 * to within the number of gaps in the span: without gaps it is found at once, with gaps by binary
 * search.
 */
public final class PartitionLedger {
  /** A record that was consumed at {@code sinceNanos} and is not complete. */
  public record Outstanding(long offset, long sinceNanos) {}

  private static final int CAPACITY_MIN = 64;
  private static final long NONE = -1;

  private final long epoch;
  private final int spanMax;

  private long[] offsets = new long[CAPACITY_MIN];
  private long[] sinceNanos = new long[CAPACITY_MIN];
  private int head;
  private int span;
  private int outstanding;
  private long highest = NONE;
  private long committable = NONE;
  private long committed = NONE;

  PartitionLedger(long epoch, int spanMax) {
    this.epoch = epoch;
    this.spanMax = spanMax;
  }

  public long epoch() {
    return epoch;
  }

  public int outstanding() {
    return outstanding;
  }

  /** How many more records fit before {@link LedgerBook#register} rejects one. */
  public int room() {
    return spanMax - span;
  }

  public OptionalLong highestRegistered() {
    return optional(highest);
  }

  public Optional<Outstanding> oldestOutstanding() {
    return span == 0
        ? Optional.empty()
        : Optional.of(new Outstanding(offsets[head], sinceNanos[head]));
  }

  /** The offset after the contiguous prefix of completed records. */
  public OptionalLong committable() {
    return optional(committable);
  }

  boolean commitDue() {
    return committable > committed;
  }

  void committed(long nextOffset) {
    if (nextOffset > committable) {
      throw new IllegalArgumentException(
          "committed " + nextOffset + " is beyond the committable " + committable);
    }
    committed = Math.max(committed, nextOffset);
  }

  /** False if the ledger is full; then nothing has changed. */
  boolean register(long offset, long nowNanos) {
    if (offset <= highest) {
      throw new IllegalArgumentException("offset " + offset + " does not follow " + highest);
    }
    if (span == spanMax) {
      return false;
    }
    if (span == offsets.length) {
      resize(offsets.length * 2);
    }
    int index = index(span);
    offsets[index] = offset;
    sinceNanos[index] = nowNanos;
    span++;
    outstanding++;
    highest = offset;
    return true;
  }

  /** False if the offset was not outstanding: completed before, or never registered. */
  boolean complete(long offset) {
    int place = placeOf(offset);
    if (place < 0 || offsets[index(place)] != offset) {
      return false;
    }
    offsets[index(place)] = ~offset;
    outstanding--;
    if (place == 0) {
      passCompleted();
    }
    return true;
  }

  private void passCompleted() {
    while (span > 0 && offsets[head] < 0) {
      committable = ~offsets[head] + 1;
      head = index(1);
      span--;
    }
    if (span == 0 && offsets.length > CAPACITY_MIN) {
      resize(CAPACITY_MIN);
    }
  }

  /** Counted from the head; negative if the offset is outside the span or in a gap. */
  private int placeOf(long offset) {
    if (span == 0 || offset < offsets[head] || offset > highest) {
      return -1;
    }
    int last = span - 1;
    int low = (int) Math.max(0, last - (highest - offset));
    int high = (int) Math.min(last, offset - offsets[head]);
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long found = offsets[index(middle)];
      long middleOffset = found < 0 ? ~found : found;
      if (middleOffset == offset) {
        return middle;
      }
      if (middleOffset < offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }

  /** The capacity is always a power of two. */
  private int index(int place) {
    return (head + place) & (offsets.length - 1);
  }

  private void resize(int capacity) {
    long[] resizedOffsets = new long[capacity];
    long[] resizedSinceNanos = new long[capacity];
    int untilEnd = Math.min(span, offsets.length - head);
    System.arraycopy(offsets, head, resizedOffsets, 0, untilEnd);
    System.arraycopy(offsets, 0, resizedOffsets, untilEnd, span - untilEnd);
    System.arraycopy(sinceNanos, head, resizedSinceNanos, 0, untilEnd);
    System.arraycopy(sinceNanos, 0, resizedSinceNanos, untilEnd, span - untilEnd);
    offsets = resizedOffsets;
    sinceNanos = resizedSinceNanos;
    head = 0;
  }

  private static OptionalLong optional(long offset) {
    return offset == NONE ? OptionalLong.empty() : OptionalLong.of(offset);
  }
}
