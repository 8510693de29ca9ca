package io.egress.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A call that an OpenAPI document describes, made from its examples.
 *
 * @param path with parameters as {@code {name}}
 * @param query the parameters that have an example
 * @param contentType empty without a body
 * @param body an example, or empty
 */
public record DescribedCall(
    String method, String path, Map<String, String> query, String contentType, String body) {
  private static final Pattern PARAMETER = Pattern.compile("\\{(\\w+)}");

  /** Operations with several examples of their body make several calls. */
  public static List<DescribedCall> of(JsonObject document) {
    List<DescribedCall> calls = new ArrayList<>();
    JsonObject paths = document.getJsonObject("paths");
    for (String path : paths.fieldNames()) {
      for (String method : paths.getJsonObject(path).fieldNames()) {
        addTo(calls, document, path, method);
      }
    }
    return calls;
  }

  private static void addTo(
      List<DescribedCall> calls, JsonObject document, String path, String method) {
    JsonObject operation =
        document.getJsonObject("paths").getJsonObject(path).getJsonObject(method);
    Map<String, String> query = query(document, operation);
    String name = method.toUpperCase(Locale.ROOT);
    JsonObject content =
        operation.getJsonObject("requestBody", new JsonObject()).getJsonObject("content");
    if (content == null) {
      calls.add(new DescribedCall(name, path, query, "", ""));
      return;
    }
    for (String type : content.fieldNames()) {
      for (JsonObject body : bodies(document, content.getJsonObject(type), name + " " + path)) {
        calls.add(new DescribedCall(name, path, query, type, body.encode()));
      }
    }
  }

  private static Map<String, String> query(JsonObject document, JsonObject operation) {
    Map<String, String> query = new LinkedHashMap<>();
    for (Object each : operation.getJsonArray("parameters", new JsonArray())) {
      JsonObject parameter = resolved(document, (JsonObject) each);
      if (parameter.getString("in").equals("query") && parameter.containsKey("example")) {
        query.put(parameter.getString("name"), parameter.getValue("example").toString());
      }
    }
    return query;
  }

  private static List<JsonObject> bodies(JsonObject document, JsonObject media, String operation) {
    JsonObject examples = media.getJsonObject("examples");
    if (examples != null) {
      return examples.stream()
          .map(example -> ((JsonObject) example.getValue()).getJsonObject("value"))
          .toList();
    }
    JsonObject schema = resolved(document, media.getJsonObject("schema"));
    JsonObject example = media.getJsonObject("example", schema.getJsonObject("example"));
    if (example == null) {
      throw new IllegalArgumentException(operation + " has no example of its body");
    }
    return List.of(example);
  }

  /** References look like {@code #/components/schemas/Capture}. */
  public static JsonObject resolved(JsonObject document, JsonObject described) {
    String reference = described.getString("$ref");
    if (reference == null) {
      return described;
    }
    JsonObject found = document;
    for (String step : reference.substring(2).split("/", -1)) {
      found = found.getJsonObject(step);
    }
    return found;
  }

  /** The collection that the last {@code {id}} of the path is of, such as {@code endpoints}. */
  public String collection() {
    int id = path.lastIndexOf("/{id}");
    String before = id < 0 ? path : path.substring(0, id);
    return before.substring(before.lastIndexOf('/') + 1);
  }

  /** The path with its parameters filled in. */
  public String filledPath(Map<String, String> values) {
    return PARAMETER
        .matcher(path)
        .replaceAll(parameter -> values.getOrDefault(parameter.group(1), "S1"));
  }

  /** {@code ?name=value&...}; {@code values} replace examples. Empty without parameters. */
  public String filledQuery(Map<String, String> values) {
    return query.isEmpty()
        ? ""
        : query.entrySet().stream()
            .map(parameter ->
                parameter.getKey()
                    + "="
                    + URLEncoder.encode(
                        values.getOrDefault(parameter.getKey(), parameter.getValue()), UTF_8))
            .collect(joining("&", "?", ""));
  }

  /** The body with the ids that it has replaced by those of {@code values}. */
  public String filledBody(Map<String, String> values) {
    if (body.isEmpty()) {
      return body;
    }
    JsonObject filled = new JsonObject(body);
    filled.fieldNames().stream()
        .filter(values::containsKey)
        .toList()
        .forEach(name -> filled.put(name, values.get(name)));
    return filled.encode();
  }
}
