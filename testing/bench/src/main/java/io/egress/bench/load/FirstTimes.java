package io.egress.bench.load;

import java.util.OptionalLong;
import java.util.UUID;

/**
 * When each id was first seen, in flat arrays: a map of hundreds of thousands of objects would add
 * garbage collection to the measurement.
 */
final class FirstTimes {
  private static final int ROOM_AT_FIRST = 1 << 14;

  private long[] high = new long[ROOM_AT_FIRST];
  private long[] low = new long[ROOM_AT_FIRST];
  private long[] nanos = new long[ROOM_AT_FIRST];
  private boolean[] taken = new boolean[ROOM_AT_FIRST];
  private int size;

  /** False if the id was seen before. */
  boolean add(UUID id, long now) {
    if (size * 2 >= taken.length) {
      grow();
    }
    int place = place(id.getMostSignificantBits(), id.getLeastSignificantBits());
    if (taken[place]) {
      return false;
    }
    put(place, id.getMostSignificantBits(), id.getLeastSignificantBits(), now);
    return true;
  }

  OptionalLong of(UUID id) {
    int place = place(id.getMostSignificantBits(), id.getLeastSignificantBits());
    return taken[place] ? OptionalLong.of(nanos[place]) : OptionalLong.empty();
  }

  int size() {
    return size;
  }

  /** The slot of the id. The number of slots is a power of two. */
  private int place(long idHigh, long idLow) {
    int mask = taken.length - 1;
    int place = Long.hashCode((idHigh ^ idLow) * 0x9E3779B97F4A7C15L) & mask;
    while (taken[place] && (high[place] != idHigh || low[place] != idLow)) {
      place = (place + 1) & mask;
    }
    return place;
  }

  private void put(int place, long idHigh, long idLow, long now) {
    taken[place] = true;
    high[place] = idHigh;
    low[place] = idLow;
    nanos[place] = now;
    size++;
  }

  private void grow() {
    long[] formerHigh = high;
    long[] formerLow = low;
    long[] formerNanos = nanos;
    boolean[] formerTaken = taken;
    int room = formerTaken.length * 2;
    high = new long[room];
    low = new long[room];
    nanos = new long[room];
    taken = new boolean[room];
    size = 0;
    for (int i = 0; i < formerTaken.length; i++) {
      if (formerTaken[i]) {
        put(place(formerHigh[i], formerLow[i]), formerHigh[i], formerLow[i], formerNanos[i]);
      }
    }
  }
}
