package io.egress.api.intake;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.egress.http.PathIds;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one JSON object. Whatever a field cannot be read as is told to the faults, and
 * something harmless stands in for it, so that reading goes on to the next fault.
 */
public final class Fields {
  /** The largest integer that every JSON reader keeps exact. */
  public static final long WHOLE_MAX = 9_007_199_254_740_991L;

  private static final UUID NO_ID = new UUID(0, 0);

  private final JsonNode object;
  private final String path;
  private final Faults faults;

  Fields(JsonNode object, String path, Faults faults) {
    this.object = requireNonNull(object, "object is null");
    this.path = requireNonNull(path, "path is null");
    this.faults = requireNonNull(faults, "faults is null");
    if (!object.isObject()) {
      faults.add(path, "must be an object, not " + typeOf(object));
    }
  }

  public boolean has(String name) {
    return object.has(name);
  }

  public boolean hasValue(String name) {
    return object.hasNonNull(name);
  }

  /** Required, with at least one character that is not blank. */
  public String text(String name, int charsMax) {
    if (isMissing(name)) {
      return "";
    }
    String text = optionalText(name, charsMax);
    if (text != null && text.isBlank()) {
      fault(name, "must not be blank");
    }
    return text == null ? "" : text;
  }

  /** Required; may be empty. */
  public String anyText(String name) {
    String text = isMissing(name) ? null : optionalText(name, Integer.MAX_VALUE);
    return text == null ? "" : text;
  }

  public @Nullable String optionalText(String name, int charsMax) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isTextual()) {
      fault(name, "must be a string, not " + typeOf(value));
      return null;
    }
    String text = value.textValue();
    if (text.length() > charsMax) {
      fault(name, "must have at most " + charsMax + " characters, not " + text.length());
      return null;
    }
    String problem = UnstorableText.problemOf(text);
    if (problem != null) {
      fault(name, problem);
      return null;
    }
    return text;
  }

  public UUID uuid(String name) {
    if (isMissing(name)) {
      return NO_ID;
    }
    String text = optionalText(name, Integer.MAX_VALUE);
    if (text == null) {
      return NO_ID;
    }
    Optional<UUID> id = PathIds.uuid(text);
    if (id.isEmpty()) {
      fault(name, "must be a UUID, not " + Shown.quoted(text));
    }
    return id.orElse(NO_ID);
  }

  public Instant instant(String name) {
    Instant instant = isMissing(name) ? null : optionalInstant(name);
    return instant == null ? Instant.EPOCH : instant;
  }

  /** To the millisecond. */
  public @Nullable Instant optionalInstant(String name) {
    String text = optionalText(name, Integer.MAX_VALUE);
    if (text == null) {
      return null;
    }
    try {
      OffsetDateTime time = OffsetDateTime.parse(text.toUpperCase(Locale.ROOT));
      Instant instant = time.toInstant().truncatedTo(ChronoUnit.MILLIS);
      int year = instant.atOffset(ZoneOffset.UTC).getYear();
      if (year >= 1 && year <= 9999) {
        return instant;
      }
    } catch (DateTimeException notAnInstant) {
      // Told below, like a year out of range.
    }
    fault(name, "must be an instant such as 2026-01-31T09:30:00Z, not " + Shown.quoted(text));
    return null;
  }

  /** Required, from 0 on. */
  public long whole(String name) {
    Long whole = isMissing(name) ? null : optionalWhole(name);
    return whole == null ? 0 : whole;
  }

  public @Nullable Long optionalWhole(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isNumber()) {
      fault(name, "must be an integer, not " + typeOf(value));
    } else if (!value.isIntegralNumber()) {
      fault(name, "must be an integer, not " + Shown.text(value.asText()));
    } else if (!value.canConvertToLong() || value.longValue() > WHOLE_MAX) {
      fault(name, "must be an integer from 0 to " + WHOLE_MAX);
    } else if (value.longValue() < 0) {
      fault(name, "must not be negative, it is " + value.longValue());
    } else {
      return value.longValue();
    }
    return null;
  }

  /** From 0 to 1. */
  public @Nullable Double optionalShare(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isNumber()) {
      fault(name, "must be a number, not " + typeOf(value));
      return null;
    }
    double share = value.doubleValue();
    if (!(share >= 0 && share <= 1)) {
      fault(name, "must be from 0 to 1, it is " + Shown.text(value.asText()));
      return null;
    }
    return share + 0.0;
  }

  public boolean optionalFlag(String name, boolean fallback) {
    JsonNode value = value(name);
    if (value != null && !value.isBoolean()) {
      fault(name, "must be true or false, not " + typeOf(value));
    }
    return value == null ? fallback : value.booleanValue();
  }

  /** Required. */
  public boolean flag(String name) {
    return !isMissing(name) && optionalFlag(name, false);
  }

  /** Null, after a fault, when it is missing. */
  public @Nullable Fields object(String name) {
    return isMissing(name) ? null : optionalObject(name);
  }

  public @Nullable Fields optionalObject(String name) {
    JsonNode value = value(name);
    return value == null ? null : new Fields(value, pathOf(name), faults);
  }

  /** Tells unless an array stood there. */
  public void requireArray(String name) {
    if (!isMissing(name) && !object.path(name).isArray()) {
      fault(name, "must be an array, not " + typeOf(object.path(name)));
    }
  }

  /** Tells when the field, which may be null, is not there at all. */
  public void requirePresence(String name) {
    if (object.isObject() && !object.has(name)) {
      fault(name, "is required; it may be null");
    }
  }

  public void fault(String name, String problem) {
    faults.add(pathOf(name), problem);
  }

  /** Tells what is wrong with the object itself. */
  public void faultOfAll(String problem) {
    faults.add(path, problem);
  }

  private boolean isMissing(String name) {
    boolean missing = !object.hasNonNull(name);
    if (missing && object.isObject()) {
      fault(name, "is required");
    }
    return missing;
  }

  private @Nullable JsonNode value(String name) {
    JsonNode value = object.get(name);
    return value == null || value.isNull() ? null : value;
  }

  private String pathOf(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private static String typeOf(JsonNode value) {
    return switch (value.getNodeType()) {
      case ARRAY -> "an array";
      case OBJECT, POJO -> "an object";
      case STRING, BINARY -> "a string";
      case NUMBER -> "a number";
      case BOOLEAN -> "a boolean";
      case NULL, MISSING -> "null";
    };
  }
}
