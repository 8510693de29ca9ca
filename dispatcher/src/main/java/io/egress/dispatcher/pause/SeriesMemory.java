package io.egress.dispatcher.pause;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * What this process knows of series of failures: attempts in progress do not know yet what was
 * written, and a receiver that fails now and then should cost no write. Bounded; what is forgotten
 * is found again in the database.
 */
final class SeriesMemory {
  private static final int ENDPOINTS_MAX = 10_000;

  /** A series without a success for so long is recorded. */
  private static final Duration RECORDED_AFTER = Duration.ofSeconds(3);

  /** Another process may have had a success in the meantime. */
  private static final Duration FRESH = Duration.ofMinutes(10);

  /** No attempt takes longer: later ones know what was written. */
  private static final Duration REPEATED_AFTER = Duration.ofMinutes(1);

  /** What is done once in a series, and not repeated by attempts that do not know it yet. */
  enum Step {
    RECORD,
    ANNOUNCE,
    PAUSE,
    TELL_OF_EXHAUSTION
  }

  private static final class Series {
    private final Map<Step, Instant> taken = new EnumMap<>(Step.class);
    private Instant first;
    private Instant last;

    private Series(Instant startedAt) {
      first = startedAt;
      last = startedAt;
    }
  }

  private final Map<UUID, Series> series =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Series> eldest) {
          return size() > ENDPOINTS_MAX;
        }
      };

  /** The start of the endpoint's series, if it should be recorded now. */
  synchronized Optional<Instant> failed(UUID id, Instant startedAt, Instant now) {
    Series known = known(id, startedAt);
    boolean isLong = !known.first.plus(RECORDED_AFTER).isAfter(now);
    if (known.last.plus(FRESH).isBefore(startedAt)) {
      known.first = startedAt;
    }
    known.last = startedAt;
    return isLong && may(id, Step.RECORD, now) ? Optional.of(known.first) : Optional.empty();
  }

  /** Whether it was recorded by this process. */
  synchronized boolean end(UUID id) {
    Series ended = series.remove(id);
    return ended != null && ended.taken.containsKey(Step.RECORD);
  }

  /** Whether to take the step now; then it counts as taken. */
  synchronized boolean may(UUID id, Step step, Instant now) {
    Map<Step, Instant> taken = known(id, now).taken;
    Instant before = taken.get(step);
    boolean may = before == null || before.plus(REPEATED_AFTER).isBefore(now);
    if (may) {
      taken.put(step, now);
    }
    return may;
  }

  /** The step failed, and the next attempt takes it again. */
  synchronized void undo(UUID id, Step step) {
    Series known = series.get(id);
    if (known != null) {
      known.taken.remove(step);
    }
  }

  private Series known(UUID id, Instant startedAt) {
    return series.computeIfAbsent(id, _ -> new Series(startedAt));
  }
}
