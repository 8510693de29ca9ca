package io.egress.api.intake;

import static java.util.Objects.requireNonNull;

import io.egress.platform.http.Refusal;
import java.util.Optional;
import java.util.function.Function;

/** A parsed body, or everything that is wrong with it. */
public sealed interface Intake<T> {
  /** Returns the value, or throws a {@link Refusal} that lists all faults. */
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

  record Refused<T>(BodyFaults faults) implements Intake<T> {
    public Refused {
      requireNonNull(faults, "faults is null");
    }

    @Override
    public T orRefuse() {
      throw new Refusal(400, faults.summary());
    }
  }

  /** The result of {@code reader}, unless the body has faults. */
  static <T> Intake<T> read(GivenBody body, Shape shape, Function<Fields, T> reader) {
    BodyFaults faults = new BodyFaults();
    Optional<Fields> fields = body.fields(shape, faults);
    if (fields.isEmpty()) {
      return new Refused<>(faults);
    }
    T value = reader.apply(fields.get());
    return faults.isEmpty() ? new Accepted<>(value) : new Refused<>(faults);
  }
}
