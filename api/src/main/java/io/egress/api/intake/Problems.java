package io.egress.api.intake;

import com.fasterxml.jackson.databind.JsonNode;
import io.egress.platform.environment.Durations;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.SafeText;
import io.egress.platform.http.StorableText;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Checks of field values: each returns the problem, or null. */
final class Problems {
  private static final int DURATION_CHARACTERS_MAX = 20;

  private Problems() {}

  static @Nullable String ofAnyText(JsonNode value, int charactersMax) {
    if (!value.isTextual()) {
      return "must be a string, not " + typeOf(value);
    }
    String text = value.textValue();
    if (text.length() > charactersMax) {
      int characters = text.codePointCount(0, text.length());
      if (characters > charactersMax) {
        return "must have at most " + charactersMax + " characters, not " + characters;
      }
    }
    // JSON escapes can express text that is valid neither in PostgreSQL nor in UTF-8.
    return StorableText.problem(text);
  }

  static @Nullable String ofText(JsonNode value, int charactersMax) {
    String problem = ofAnyText(value, charactersMax);
    return problem == null && value.textValue().isBlank() ? "must not be blank" : problem;
  }

  static @Nullable String ofUuid(JsonNode value) {
    String problem = ofAnyText(value, Integer.MAX_VALUE);
    return problem == null && PathIds.uuid(value.textValue()).isEmpty()
        ? "must be a UUID, not " + SafeText.quoted(value.textValue())
        : problem;
  }

  static @Nullable String ofInstant(JsonNode value) {
    String problem = ofAnyText(value, Integer.MAX_VALUE);
    return problem == null && Rfc3339.read(value.textValue()).isEmpty()
        ? "must be an instant such as 2026-01-31T09:30:00Z, not "
            + SafeText.quoted(value.textValue())
        : problem;
  }

  static @Nullable String ofDuration(JsonNode value, Duration min, Duration max) {
    String problem = ofAnyText(value, DURATION_CHARACTERS_MAX);
    if (problem != null) {
      return problem;
    }
    try {
      Duration duration = Durations.parse(value.textValue());
      if (duration.compareTo(min) < 0) {
        return "must be at least " + Durations.format(min);
      }
      return duration.compareTo(max) > 0 ? "must be at most " + Durations.format(max) : null;
    } catch (IllegalArgumentException noDuration) {
      return noDuration.getMessage();
    }
  }

  static @Nullable String ofWhole(JsonNode value, long min, long max) {
    if (!value.isNumber()) {
      return "must be an integer, not " + typeOf(value);
    }
    if (!value.isIntegralNumber()) {
      return "must be an integer, not " + SafeText.plain(value.asText());
    }
    boolean isLong = value.canConvertToLong();
    if (isLong && value.longValue() < 0 && min == 0) {
      return "must not be negative, it is " + value.longValue();
    }
    return isLong && value.longValue() >= min && value.longValue() <= max
        ? null
        : "must be an integer from %d to %d, not %s"
            .formatted(min, max, SafeText.plain(value.asText()));
  }

  static @Nullable String ofNumber(JsonNode value, long min, long max) {
    if (!value.isNumber()) {
      return "must be a number, not " + typeOf(value);
    }
    return value.doubleValue() >= min && value.doubleValue() <= max
        ? null
        : "must be from %d to %d, not %s".formatted(min, max, SafeText.plain(value.asText()));
  }

  static @Nullable String ofFlag(JsonNode value) {
    return value.isBoolean() ? null : "must be true or false, not " + typeOf(value);
  }

  static @Nullable String ofFlagOrWord(JsonNode value, List<String> words) {
    return value.isBoolean() || words.contains(value.textValue())
        ? null
        : "must be true, false or \"" + String.join("\" or \"", words) + "\"";
  }

  static @Nullable String ofObject(JsonNode value) {
    return value.isObject() ? null : "must be an object, not " + typeOf(value);
  }

  /** Of an array of words, each at most once. */
  static @Nullable String ofWords(JsonNode value, Set<String> known) {
    String problem = ofArray(value);
    Set<String> seen = new HashSet<>();
    for (JsonNode word : value) {
      if (problem == null && !(word.isTextual() && known.contains(word.textValue()))) {
        problem =
            "must contain only %s, not %s"
                .formatted(String.join(", ", new TreeSet<>(known)), SafeText.quoted(word.asText()));
      } else if (problem == null && !seen.add(word.textValue())) {
        problem = "must contain " + word.textValue() + " only once";
      }
    }
    return problem;
  }

  static @Nullable String ofUuids(JsonNode value, int max) {
    String problem = ofArray(value);
    if (problem == null && (value.isEmpty() || value.size() > max)) {
      problem = "must contain 1 to %d ids; leave it out for all".formatted(max);
    }
    for (JsonNode id : value) {
      problem = problem == null ? ofUuid(id) : problem;
    }
    return problem;
  }

  static @Nullable String ofArray(JsonNode value) {
    return value.isArray() ? null : "must be an array, not " + typeOf(value);
  }

  private static String typeOf(JsonNode value) {
    return JsonBody.typeOf(value.asToken());
  }
}
