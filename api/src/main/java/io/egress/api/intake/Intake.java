package io.egress.api.intake;

import static java.util.Objects.requireNonNull;

import io.egress.http.Refusal;

/** A body read: what it says, or all that is wrong with it. */
public sealed interface Intake<T> {
  /** The value; of a refused body a {@link Refusal} that tells all faults is thrown. */
  T orRefuse();

  record Accepted<T>(T value) implements Intake<T> {
    public Accepted {
      requireNonNull(value, "value is null");
    }

    @Override
    public T orRefuse() {
      return value;
    }
  }

  record Refused<T>(Faults faults) implements Intake<T> {
    public Refused {
      requireNonNull(faults, "faults is null");
    }

    @Override
    public T orRefuse() {
      throw new Refusal(400, faults.told());
    }
  }
}
