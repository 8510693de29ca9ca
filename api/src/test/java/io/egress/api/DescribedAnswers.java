package io.egress.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compares answers with an OpenAPI description. Fields that are not described are errors here;
 * clients must ignore them, so the published schemas allow them.
 */
final class DescribedAnswers {
  private static final String BASE = "https://example.com/";

  private final JsonObject paths;
  private final JsonObject components;
  private final Map<String, Validator> validators = new HashMap<>();
  private final Set<String> answered = new TreeSet<>();

  DescribedAnswers(JsonObject description) {
    this.paths = description.getJsonObject("paths");
    this.components = (JsonObject) strict(description.getJsonObject("components"));
  }

  /** Each operation, such as {@code GET /internal/v1/audit}. */
  Set<String> operations() {
    Set<String> operations = new TreeSet<>();
    for (String path : paths.fieldNames()) {
      for (String method : paths.getJsonObject(path).fieldNames()) {
        operations.add(method.toUpperCase(Locale.ROOT) + " " + path);
      }
    }
    return operations;
  }

  /** The operations of which a successful answer was checked. */
  Set<String> answered() {
    return answered;
  }

  void check(HttpResponse<String> answer) {
    String method = answer.request().method();
    String operation = method + " " + template(answer.uri().getPath());
    JsonObject responses =
        paths
            .getJsonObject(template(answer.uri().getPath()))
            .getJsonObject(method.toLowerCase(Locale.ROOT))
            .getJsonObject("responses");
    String status = Integer.toString(answer.statusCode());
    assertThat(responses.fieldNames()).as(operation + answer.body()).contains(status);
    JsonObject content = resolved(responses.getJsonObject(status)).getJsonObject("content");
    if (content == null) {
      assertThat(answer.body()).as(operation).isEmpty();
    } else if (content.containsKey("application/json")) {
      Object schema = strict(content.getJsonObject("application/json").getJsonObject("schema"));
      validate(operation + " " + status, (JsonObject) schema, Json.decodeValue(answer.body()));
    }
    if (answer.statusCode() < 300) {
      answered.add(operation);
    }
  }

  private JsonObject resolved(JsonObject response) {
    String reference = response.getString("$ref", "").replaceFirst(".*/", "");
    return components
        .getJsonObject("responses", new JsonObject())
        .getJsonObject(reference, response);
  }

  private void validate(String what, JsonObject schema, Object body) {
    Validator validator =
        validators.computeIfAbsent(
            what,
            name ->
                Validator.create(
                    JsonSchema.of(
                        schema
                            .copy()
                            .put("$id", BASE + name.replaceAll("[^A-Za-z0-9]", "-"))
                            .put("components", components.copy())),
                    new JsonSchemaOptions().setDraft(Draft.DRAFT202012).setBaseUri(BASE)));
    OutputUnit result = validator.validate(body);
    List<String> errors = new ArrayList<>();
    if (result.getErrors() != null) {
      result
          .getErrors()
          .forEach(error -> errors.add(error.getInstanceLocation() + " " + error.getError()));
    }
    assertThat(errors).as(what).isEmpty();
    assertThat(result.getValid()).as(what).isTrue();
  }

  private String template(String path) {
    return paths.fieldNames().stream()
        .filter(template -> path.matches(template.replaceAll("\\{\\w+}", "[^/]+")))
        .findFirst()
        .orElseThrow(() -> new AssertionError(path + " is not described"));
  }

  private static Object strict(Object described) {
    if (described instanceof JsonArray array) {
      JsonArray strict = new JsonArray();
      array.forEach(each -> strict.add(strict(each)));
      return strict;
    }
    if (!(described instanceof JsonObject object)) {
      return described;
    }
    JsonObject strict = new JsonObject();
    object.forEach(field -> strict.put(field.getKey(), strict(field.getValue())));
    if (object.getValue("properties") instanceof JsonObject
        && !object.containsKey("additionalProperties")) {
      strict.put("additionalProperties", false);
    }
    return strict;
  }
}
