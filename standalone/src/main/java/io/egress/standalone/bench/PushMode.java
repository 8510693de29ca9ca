package io.egress.standalone.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What {@code bench push} measures, and how much of it unless told otherwise. */
enum PushMode {
  SPREAD(300_000, 100),
  FAN(300_000, 50),
  LATENCY(18_000, 100),
  HANGING(100_000, 10),
  SKEWED(100_000, 100),
  WAITING(100_000, 100);

  private final int deliveries;
  private final int endpoints;

  PushMode(int deliveries, int endpoints) {
    this.deliveries = deliveries;
    this.endpoints = endpoints;
  }

  int deliveries() {
    return deliveries;
  }

  int endpoints() {
    return endpoints;
  }

  /**
   * How many times as many deliveries warm it up: those of spread need a capture each, and a
   * comparison of short runs would be one of how far HotSpot has come.
   */
  int warmUpRounds() {
    return switch (this) {
      case SPREAD, LATENCY -> 1;
      case FAN -> 2;
      case HANGING, SKEWED, WAITING -> 3;
    };
  }

  private String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** By its name in lower case. */
  static final class Converter implements ITypeConverter<PushMode> {
    @Override
    public PushMode convert(String word) {
      return Arrays.stream(values())
          .filter(mode -> mode.word().equals(word))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "is one of "
                          + Arrays.stream(values())
                              .map(PushMode::word)
                              .collect(Collectors.joining(", "))));
    }
  }
}
