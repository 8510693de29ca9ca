package io.egress.dispatcher.lane;

/** One record in its lane. A class, not a record: equal records are different entries. */
final class Waiting<R> {
  private final Lane<R> lane;
  private final R record;
  private final Priority priority;
  private final long sinceNanos;

  Waiting(Lane<R> lane, R record, Priority priority, long sinceNanos) {
    this.lane = lane;
    this.record = record;
    this.priority = priority;
    this.sinceNanos = sinceNanos;
  }

  Lane<R> lane() {
    return lane;
  }

  R record() {
    return record;
  }

  Priority priority() {
    return priority;
  }

  long sinceNanos() {
    return sinceNanos;
  }
}
