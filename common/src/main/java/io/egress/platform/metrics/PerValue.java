package io.egress.platform.metrics;

import static java.util.Objects.requireNonNull;

import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** A meter for each value of an enum, looked up by ordinal. */
public final class PerValue<K extends Enum<K>, M> {
  private final Map<K, M> meters;

  public PerValue(Class<K> values, Function<K, M> meter) {
    this(values, Set.of(values.getEnumConstants()), meter);
  }

  /** Only for the values in {@code used}. */
  public PerValue(Class<K> values, Set<K> used, Function<K, M> meter) {
    meters = new EnumMap<>(values);
    used.forEach(value -> meters.put(value, meter.apply(value)));
  }

  public M of(K value) {
    return requireNonNull(meters.get(value), "the value has no meter");
  }
}
