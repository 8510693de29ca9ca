package io.egress.api.intake;

import static java.util.Objects.requireNonNull;

/** A body read: what it says, or all that is wrong with it. */
public sealed interface Intake<T> {
  record Accepted<T>(T value) implements Intake<T> {
    public Accepted {
      requireNonNull(value, "value is null");
    }
  }

  record Refused<T>(Faults faults) implements Intake<T> {
    public Refused {
      requireNonNull(faults, "faults is null");
    }
  }
}
