package io.egress.acceptance;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The schemas of Kubernetes, the Prometheus operator and KEDA. Unknown fields are faults, which the
 * schemas themselves leave to the API server.
 */
final class KubernetesSchemas {
  private static final String KUBERNETES = "1.30";
  private static final String BUILTINS = "pkg/openapiclient/builtins/" + KUBERNETES + "/";
  private static final Map<String, Definition> CUSTOM_RESOURCES =
      Map.of(
          "PrometheusRule", Definition.ofPrometheus("prometheusrules"),
          "ServiceMonitor", Definition.ofPrometheus("servicemonitors"),
          "ScaledObject",
              new Definition(
                  "github.com/kedacore/keda/v2",
                  "v2.21.0",
                  "config/crd/bases/keda.sh_scaledobjects.yaml"));

  private static final JsonSchemaOptions OPTIONS =
      new JsonSchemaOptions()
          .setBaseUri("https://kubernetes.invalid/")
          .setDraft(Draft.DRAFT4)
          .setOutputFormat(OutputFormat.Basic);

  /** Where the definition of a custom resource is. */
  private record Definition(String module, String version, String path) {
    static Definition ofPrometheus(String resources) {
      return new Definition(
          "github.com/prometheus-operator/prometheus-operator",
          "v0.85.0",
          "example/prometheus-operator-crd/monitoring.coreos.com_" + resources + ".yaml");
    }
  }

  private final Map<String, JsonObject> documents = new HashMap<>();

  /** The faults of an object, none if it is valid. */
  List<String> faults(JsonObject object) throws IOException, InterruptedException {
    String apiVersion = object.getString("apiVersion");
    String kind = object.getString("kind");
    Definition custom = CUSTOM_RESOURCES.get(kind);
    JsonObject schema = custom == null ? builtin(apiVersion, kind) : customResource(custom);
    OutputUnit result = Validator.create(JsonSchema.of(schema), OPTIONS).validate(object);
    return result.getValid()
        ? List.of()
        : result.getErrors().stream()
            .map(error -> kind + error.getInstanceLocation() + ": " + error.getError())
            .toList();
  }

  /** The sources of kubectl-validate contain the OpenAPI documents of API servers. */
  private JsonObject builtin(String apiVersion, String kind)
      throws IOException, InterruptedException {
    int slash = apiVersion.indexOf('/');
    String group = apiVersion.substring(0, Math.max(0, slash));
    String version = apiVersion.substring(slash + 1);
    JsonObject document = documents.get(apiVersion);
    if (document == null) {
      String path = (group.isEmpty() ? "api/" : "apis/") + apiVersion + ".json";
      try (GoSource source = GoSource.of("sigs.k8s.io/kubectl-validate", "v0.0.4")) {
        document = new JsonObject(source.text(BUILTINS + path));
      }
      rejectUnknownFields(document);
      documents.put(apiVersion, document);
    }
    JsonObject schemas = document.getJsonObject("components").getJsonObject("schemas");
    JsonObject wanted =
        new JsonObject().put("group", group).put("kind", kind).put("version", version);
    String name =
        schemas.fieldNames().stream()
            .filter(each ->
                schemas
                    .getJsonObject(each)
                    .getJsonArray("x-kubernetes-group-version-kind", new JsonArray())
                    .contains(wanted))
            .findFirst()
            .orElseThrow(() -> new IOException("no schema of " + wanted.encode()));
    JsonObject reference = new JsonObject().put("$ref", "#/components/schemas/" + name);
    return new JsonObject()
        .put("allOf", new JsonArray().add(reference))
        .put("components", document.getJsonObject("components"));
  }

  private static JsonObject customResource(Definition definition)
      throws IOException, InterruptedException {
    try (GoSource source = GoSource.of(definition.module(), definition.version())) {
      JsonObject schema =
          HelmChart.documents(source.text(definition.path()))
              .get(0)
              .getJsonObject("spec")
              .getJsonArray("versions")
              .getJsonObject(0)
              .getJsonObject("schema")
              .getJsonObject("openAPIV3Schema");
      rejectUnknownFields(schema);
      return schema;
    }
  }

  private static void rejectUnknownFields(Object part) {
    if (part instanceof JsonArray array) {
      array.forEach(KubernetesSchemas::rejectUnknownFields);
    } else if (part instanceof JsonObject object) {
      object.forEach(field -> rejectUnknownFields(field.getValue()));
      if (object.getValue("properties") instanceof JsonObject
          && !object.containsKey("additionalProperties")
          && !object.getBoolean("x-kubernetes-preserve-unknown-fields", false)) {
        object.put("additionalProperties", false);
      }
    }
  }
}
