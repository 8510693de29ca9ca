package io.egress.api.intake;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads one JSON object without ever holding a large one as a tree: the arrays named are handed out
 * element by element, the fields named are kept, everything else is skipped.
 */
final class JsonBody {
  /** Takes one element of an array; {@code path} names it in faults. */
  interface Elements {
    void take(String path, JsonNode element);
  }

  private static final int DEPTH_MAX = 32;
  private static final ObjectMapper JSON =
      new JsonMapper(
          JsonFactory.builder()
              .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
              .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
              .streamReadConstraints(
                  StreamReadConstraints.builder()
                      .maxNestingDepth(DEPTH_MAX)
                      .maxStringLength(Integer.MAX_VALUE)
                      .build())
              .build());

  private JsonBody() {}

  /** The fields kept; arrays that were handed out stand among them present, but empty. */
  static Optional<ObjectNode> read(
      Buffer body, Set<String> kept, Map<String, Elements> handedOut, Faults faults) {
    ObjectNode fields = JSON.createObjectNode();
    try (JsonParser json = JSON.createParser(body.getBytes())) {
      JsonToken first = json.nextToken();
      if (first != JsonToken.START_OBJECT) {
        faults.add("", first == null ? "the body is empty" : "the body must be a JSON object");
        return Optional.empty();
      }
      while (json.nextToken() != JsonToken.END_OBJECT) {
        readField(json, kept, handedOut, fields);
      }
      if (json.nextToken() == null) {
        return Optional.of(fields);
      }
      faults.add("", "something follows the JSON object");
    } catch (JsonProcessingException failure) {
      faults.add("", "not JSON" + at(failure.getLocation()) + ": " + problem(failure));
    } catch (IOException failure) {
      faults.add("", "not JSON: the body is not UTF-8");
    }
    return Optional.empty();
  }

  private static void readField(
      JsonParser json, Set<String> kept, Map<String, Elements> handedOut, ObjectNode fields)
      throws IOException {
    String name = json.currentName();
    JsonToken value = json.nextToken();
    Elements elements = handedOut.get(name);
    if (elements != null && value == JsonToken.START_ARRAY) {
      int index = 0;
      while (json.nextToken() != JsonToken.END_ARRAY) {
        elements.take(name + "[" + index + "]", json.readValueAsTree());
        index++;
      }
      fields.putArray(name);
    } else if (elements != null || kept.contains(name)) {
      fields.set(name, json.readValueAsTree());
    } else {
      json.skipChildren();
    }
  }

  private static String at(JsonLocation location) {
    return location == null
        ? ""
        : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
  }

  private static String problem(JsonProcessingException failure) {
    String told = failure.getOriginalMessage();
    int end = told.indexOf('\n');
    return Shown.text(end < 0 ? told : told.substring(0, end));
  }
}
