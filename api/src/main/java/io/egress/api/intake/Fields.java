package io.egress.api.intake;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.egress.platform.environment.Durations;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.SafeText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one JSON object. An invalid field is reported and replaced by a harmless value, so
 * that all faults are found in one pass. Optional fields may be absent or null.
 */
public final class Fields {
  /** The largest integer that every JSON parser represents exactly. */
  public static final long WHOLE_MAX = 9_007_199_254_740_991L;

  private static final UUID NO_ID = new UUID(0, 0);

  private final JsonNode object;
  private final Shape shape;
  private final String path;
  private final BodyFaults faults;
  private Set<String> faulty = Set.of();

  Fields(JsonNode object, Shape shape, String path, BodyFaults faults) {
    this.object = object;
    this.shape = shape;
    this.path = path;
    this.faults = faults;
    String problem = Problems.ofObject(object);
    if (problem != null) {
      faults.add(path, problem);
    }
  }

  /** Must contain a character that is not blank. */
  public String text(String name, int charactersMax) {
    String text = isGiven(name) ? optionalText(name, charactersMax) : null;
    return text == null ? "" : text;
  }

  /** Must contain a character that is not blank. */
  public @Nullable String optionalText(String name, int charactersMax) {
    return read(name, value -> Problems.ofText(value, charactersMax), JsonNode::textValue);
  }

  /** May be empty. */
  public String anyText(String name, int charactersMax) {
    String text = isGiven(name) ? optionalAnyText(name, charactersMax) : null;
    return text == null ? "" : text;
  }

  /** May be empty. */
  public @Nullable String optionalAnyText(String name, int charactersMax) {
    return read(name, value -> Problems.ofAnyText(value, charactersMax), JsonNode::textValue);
  }

  public UUID uuid(String name) {
    UUID id = isGiven(name) ? optionalUuid(name) : null;
    return id == null ? NO_ID : id;
  }

  public @Nullable UUID optionalUuid(String name) {
    return read(name, Problems::ofUuid, value -> PathIds.uuid(value.textValue()).orElseThrow());
  }

  /** Truncated to milliseconds. */
  public Instant instant(String name) {
    Instant instant = isGiven(name) ? optionalInstant(name) : null;
    return instant == null ? Instant.EPOCH : instant;
  }

  /** Truncated to milliseconds. */
  public @Nullable Instant optionalInstant(String name) {
    return read(name, Problems::ofInstant, value -> Rfc3339.read(value.textValue()).orElseThrow());
  }

  /** In the format of settings, such as {@code 24h}. */
  public @Nullable Duration optionalDuration(String name, Duration min, Duration max) {
    return read(
        name,
        value -> Problems.ofDuration(value, min, max),
        value -> Durations.parse(value.textValue()));
  }

  public long whole(String name, long min, long max) {
    Long whole = isGiven(name) ? optionalWhole(name, min, max) : null;
    return whole == null ? min : whole;
  }

  public @Nullable Long optionalWhole(String name, long min, long max) {
    return read(name, value -> Problems.ofWhole(value, min, max), JsonNode::longValue);
  }

  public double number(String name, long min, long max) {
    Double number = isGiven(name) ? optionalNumber(name, min, max) : null;
    return number == null ? min : number;
  }

  /** Negative zero becomes zero. */
  public @Nullable Double optionalNumber(String name, long min, long max) {
    return read(
        name, value -> Problems.ofNumber(value, min, max), value -> value.doubleValue() + 0.0);
  }

  public boolean flag(String name) {
    return isGiven(name) && optionalFlag(name, false);
  }

  public boolean optionalFlag(String name, boolean fallback) {
    Boolean flag = read(name, Problems::ofFlag, JsonNode::booleanValue);
    return flag == null ? fallback : flag;
  }

  /** A boolean, or one of {@code words}. */
  public Object flagOrWord(String name, List<String> words) {
    Object value =
        isGiven(name)
            ? this.<Object>read(
                name,
                given -> Problems.ofFlagOrWord(given, words),
                given -> given.isBoolean() ? given.booleanValue() : given.textValue())
            : null;
    return value == null ? false : value;
  }

  /** Null, after reporting a fault, if it is missing. */
  public @Nullable Fields object(String name) {
    return isGiven(name) ? optionalObject(name) : null;
  }

  /** A value that is not an object is one fault, and has no fields. */
  public @Nullable Fields optionalObject(String name) {
    JsonNode value = value(name);
    return value == null ? null : new Fields(value, shapeOf(name), pathOf(name), faults);
  }

  /** Each of them once; null if the field is absent. */
  public @Nullable Set<String> optionalWords(String name, Set<String> known) {
    return read(name, value -> Problems.ofWords(value, known), Fields::words);
  }

  public @Nullable Set<UUID> optionalUuids(String name, int max) {
    return read(name, value -> Problems.ofUuids(value, max), Fields::uuids);
  }

  private static Set<UUID> uuids(JsonNode array) {
    Set<UUID> ids = new HashSet<>();
    array.forEach(id -> ids.add(UUID.fromString(id.textValue())));
    return ids;
  }

  private static Set<String> words(JsonNode array) {
    Set<String> words = new HashSet<>();
    array.forEach(word -> words.add(word.textValue()));
    return words;
  }

  /** The elements of the array are read elsewhere. */
  void requireArray(String name) {
    if (isGiven(name)) {
      read(name, Problems::ofArray, value -> value);
    }
  }

  /** The names of the fields present. */
  public List<String> names() {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  /** Reports fields other than {@code known}, if the shape keeps them. */
  void requireKnown(Collection<String> known) {
    for (String name : names()) {
      if (!known.contains(name)) {
        fault(SafeText.plain(name), "is not known" + Nearest.hint(name, known));
      }
    }
  }

  /** Whether the field is present, even if null. */
  public boolean has(String name) {
    return at(name) != null;
  }

  public boolean hasValue(String name) {
    return value(name) != null;
  }

  /** Whether the field was valid, so that it can be compared with others. */
  public boolean isSound(String name) {
    return !faulty.contains(name);
  }

  public void fault(String name, String problem) {
    if (faulty.isEmpty()) {
      faulty = new HashSet<>();
    }
    faulty.add(name);
    faults.add(pathOf(name), problem);
  }

  /** Reports a fault of the object itself. */
  public void faultOfAll(String problem) {
    faults.add(path, problem);
  }

  private <T> @Nullable T read(
      String name, Function<JsonNode, @Nullable String> problems, Function<JsonNode, T> reader) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    String problem = problems.apply(value);
    if (problem != null) {
      fault(name, problem);
      return null;
    }
    return reader.apply(value);
  }

  private boolean isGiven(String name) {
    boolean given = value(name) != null;
    if (!given && object.isObject()) {
      fault(name, has(name) ? "must not be null" : "is required");
    }
    return given;
  }

  private @Nullable JsonNode value(String name) {
    JsonNode value = at(name);
    return value == null || value.isNull() ? null : value;
  }

  private @Nullable JsonNode at(String name) {
    JsonNode value = object.get(name);
    if (value == null) {
      shapeOf(name);
    }
    return value;
  }

  /** A field missing from the shape would look absent in every body. */
  private Shape shapeOf(String name) {
    return requireNonNull(shape.field(name), () -> name + " is not among the fields of the shape");
  }

  private String pathOf(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
