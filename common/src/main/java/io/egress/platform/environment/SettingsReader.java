package io.egress.platform.environment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads settings from an environment and collects all faults. A name with the service's prefix that
 * was not read is a fault, too. Secrets are never printed.
 */
public final class SettingsReader {
  private static final String PREFIX = "EGRESS_";

  /** What commands read that may run beside the service. */
  private static final Set<String> OF_CLIENTS = Set.of("EGRESS_API_KEY");

  private final Map<String, String> environment;
  private final Map<String, String> fixed;
  private final Map<String, SettingDescription> known = new LinkedHashMap<>();
  private final List<String> faults = new ArrayList<>();

  public SettingsReader(Map<String, String> environment) {
    this(environment, Map.of());
  }

  public SettingsReader(Map<String, String> environment, Map<String, String> fixed) {
    this.environment = environment;
    this.fixed = fixed;
  }

  /** No setting: only tests need another value. */
  public String fixed(String name, String value) {
    return fixed.getOrDefault(name, value);
  }

  public Duration fixedDuration(String name, String value) {
    return Durations.parse(fixed(name, value));
  }

  public String text(String name, String fallback, String meaning) {
    return value(name, fallback, meaning, Function.identity(), fallback);
  }

  /** A required value; the empty string if it is missing. */
  public String required(String name, String meaning) {
    describe(name, null, meaning);
    String given = given(name);
    if (given == null) {
      faults.add(name + " is required: " + meaning);
      return "";
    }
    return given;
  }

  public @Nullable String optional(String name, String meaning) {
    describe(name, "", meaning);
    return given(name);
  }

  public <T> @Nullable T optional(String name, String meaning, Function<String, T> parser) {
    String given = optional(name, meaning);
    try {
      return given == null ? null : parser.apply(given);
    } catch (IllegalArgumentException fault) {
      faults.add(name + ": " + fault.getMessage());
      return null;
    }
  }

  public <T> T parsed(String name, String fallback, String meaning, Function<String, T> parser) {
    return value(name, fallback, meaning, parser, parser.apply(fallback));
  }

  public int port(String name, int fallback, String meaning) {
    return whole(name, fallback, 0, 65_535, meaning);
  }

  public int whole(String name, int fallback, int least, int most, String meaning) {
    return value(
        name,
        Integer.toString(fallback),
        meaning,
        text -> wholeNumber(text, least, most),
        fallback);
  }

  public boolean flag(String name, boolean fallback, String meaning) {
    return value(
        name,
        Boolean.toString(fallback),
        meaning,
        text ->
            switch (text) {
              case "true" -> true;
              case "false" -> false;
              default ->
                  throw new IllegalArgumentException("must be true or false, not \"" + text + "\"");
            },
        fallback);
  }

  public Duration duration(String name, String fallback, Duration least, String meaning) {
    return value(
        name,
        fallback,
        meaning,
        text -> {
          Duration duration = Durations.parse(text);
          if (duration.compareTo(least) < 0) {
            throw new IllegalArgumentException("must be at least " + Durations.format(least));
          }
          return duration;
        },
        Durations.parse(fallback));
  }

  public long bytes(String name, String fallback, String meaning) {
    return value(name, fallback, meaning, ByteSizes::parse, ByteSizes.parse(fallback));
  }

  public boolean isGiven(String name) {
    return given(name) != null;
  }

  public void bothOrNeither(String one, String other) {
    if (isGiven(one) != isGiven(other)) {
      faults.add(
          isGiven(one) ? other + " is required with " + one : one + " is required with " + other);
    }
  }

  public void fault(String fault) {
    faults.add(fault);
  }

  public List<SettingDescription> described() {
    return List.copyOf(known.values());
  }

  /** Throws with all faults, including unknown names. */
  public void finish() {
    for (String name : new TreeSet<>(environment.keySet())) {
      if (name.startsWith(PREFIX) && !known.containsKey(name) && !OF_CLIENTS.contains(name)) {
        faults.add(name + " is not a setting of this service");
      }
    }
    if (!faults.isEmpty()) {
      throw new SettingsException(faults);
    }
  }

  private <T> T value(
      String name, String shown, String meaning, Function<String, T> parser, T fallback) {
    describe(name, shown, meaning);
    String given = given(name);
    if (given == null) {
      return fallback;
    }
    try {
      return parser.apply(given);
    } catch (IllegalArgumentException fault) {
      faults.add(name + ": " + fault.getMessage());
      return fallback;
    }
  }

  private void describe(String name, @Nullable String fallback, String meaning) {
    known.put(name, new SettingDescription(name, fallback, meaning));
  }

  private @Nullable String given(String name) {
    String given = environment.get(name);
    return given == null || given.isBlank() ? null : given.strip();
  }

  /** Throws {@link IllegalArgumentException} with a message that shows the range. */
  public static int wholeNumber(String text, int least, int most) {
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like a number out of range.
    }
    throw new IllegalArgumentException(
        "must be a whole number from " + least + " to " + most + ", not \"" + text + "\"");
  }
}
