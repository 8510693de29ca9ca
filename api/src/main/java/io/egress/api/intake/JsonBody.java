package io.egress.api.intake;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Parses one JSON object without building a tree of a large one: only the fields of its shape are
 * kept, and array elements are passed on one by one, or skipped if nobody reads them.
 */
final class JsonBody {
  /** Receives the elements of one array. */
  interface Elements {
    Shape shape();

    BodyFaults faults();

    void take(int index, Fields element);
  }

  private static final int DEPTH_MAX = 32;
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .configure(JsonFactory.Feature.CHARSET_DETECTION, false)
          .configure(JsonFactory.Feature.INTERN_FIELD_NAMES, false)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEPTH_MAX)
                  .maxStringLength(Integer.MAX_VALUE)
                  .build())
          .build();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final JsonParser json;
  private final Map<String, Elements> arrays;
  private @Nullable String repeated;

  private JsonBody(JsonParser json, Map<String, Elements> arrays) {
    this.json = json;
    this.arrays = arrays;
  }

  /**
   * The fields of the body; if the body is unreadable, adds a fault to {@code faults}. {@code
   * arrays} receive the elements of the fields they are named after, which must be part of the
   * shape.
   */
  static Optional<Fields> read(
      Buffer body, Shape shape, Map<String, Elements> arrays, BodyFaults faults) {
    int flaw = Utf8.firstFlaw(body);
    if (flaw >= 0) {
      faults.add("", "not UTF-8, from byte " + flaw + " on");
      return Optional.empty();
    }
    try (JsonParser json = JSON.createParser(new BufferInput(body, Utf8.markBytes(body)))) {
      return new JsonBody(json, arrays).readWhole(shape, faults);
    } catch (IOException buffersDoNotFail) {
      throw new UncheckedIOException(buffersDoNotFail);
    }
  }

  private Optional<Fields> readWhole(Shape shape, BodyFaults faults) throws IOException {
    try {
      JsonToken first = json.nextToken();
      if (first == JsonToken.START_OBJECT) {
        ObjectNode object = object(shape, "");
        if (repeated != null) {
          faults.add(repeated, "is given twice");
        } else if (somethingFollows()) {
          faults.add("", "unexpected data after the JSON object" + at(json.currentLocation()));
        } else {
          return Optional.of(new Fields(object, shape, "", faults));
        }
      } else {
        faults.add(
            "",
            first == null ? "the body is empty" : "must be a JSON object, not " + typeOf(first));
      }
    } catch (JsonProcessingException failure) {
      faults.add("", problemOf(failure));
    }
    return Optional.empty();
  }

  private ObjectNode object(Shape shape, String prefix) throws IOException {
    ObjectNode object = NODES.objectNode();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      Shape inner = shape.field(name);
      if (inner == null) {
        json.skipChildren();
      } else if (object.has(name)) {
        repeated = prefix + name;
        json.skipChildren();
      } else {
        object.set(name, value(inner, prefix, name));
      }
    }
    return object;
  }

  private JsonNode value(Shape shape, String prefix, String name) throws IOException {
    return switch (json.currentToken()) {
      case START_OBJECT -> object(shape, prefix + name + ".");
      case START_ARRAY -> {
        Shape kept = shape.field(Shape.ELEMENTS);
        yield kept == null
            ? array(prefix.isEmpty() ? arrays.get(name) : null, name)
            : keptArray(kept, prefix + name);
      }
      case VALUE_STRING -> NODES.textNode(json.getText());
      case VALUE_NUMBER_INT ->
          json.getNumberType() == JsonParser.NumberType.BIG_INTEGER
              ? NODES.numberNode(json.getBigIntegerValue())
              : NODES.numberNode(json.getLongValue());
      case VALUE_NUMBER_FLOAT -> NODES.numberNode(json.getDoubleValue());
      case VALUE_TRUE -> NODES.booleanNode(true);
      case VALUE_FALSE -> NODES.booleanNode(false);
      default -> NODES.nullNode();
    };
  }

  private JsonNode keptArray(Shape elements, String path) throws IOException {
    ArrayNode array = NODES.arrayNode();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(elements, path, "[" + array.size() + "]"));
    }
    return array;
  }

  private JsonNode array(@Nullable Elements elements, String name) throws IOException {
    if (elements == null) {
      json.skipChildren();
      return NODES.arrayNode();
    }
    for (int index = 0; json.nextToken() != JsonToken.END_ARRAY; index++) {
      String place = name + "[" + index + "]";
      JsonNode element = value(elements.shape(), "", place);
      elements.take(index, new Fields(element, elements.shape(), place, elements.faults()));
    }
    return NODES.arrayNode();
  }

  private boolean somethingFollows() throws IOException {
    try {
      return json.nextToken() != null;
    } catch (JsonProcessingException notEvenJson) {
      return true;
    }
  }

  private String problemOf(JsonProcessingException failure) {
    String at = at(failure.getLocation());
    if (failure instanceof JsonEOFException) {
      return "not JSON: it ends too early" + at;
    }
    if (failure instanceof StreamConstraintsException) {
      return json.getParsingContext().getNestingDepth() > DEPTH_MAX
          ? "nested deeper than " + DEPTH_MAX + " levels" + at
          : "a number or a field name is far too long" + at;
    }
    return "not JSON" + at;
  }

  private static String at(@Nullable JsonLocation location) {
    return location == null
        ? ""
        : ", at line " + location.getLineNr() + ", column " + location.getColumnNr();
  }

  static String typeOf(JsonToken token) {
    return switch (token) {
      case START_ARRAY -> "an array";
      case START_OBJECT -> "an object";
      case VALUE_STRING -> "a string";
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
      case VALUE_TRUE, VALUE_FALSE -> "a boolean";
      default -> "null";
    };
  }
}
