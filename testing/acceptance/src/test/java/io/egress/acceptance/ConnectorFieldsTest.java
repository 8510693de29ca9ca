package io.egress.acceptance;

import static io.egress.acceptance.Snippets.page;
import static io.egress.acceptance.Snippets.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.testing.DescribedCall;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The connectors in docs/connectors, and the page for consumers, have the fields of the document in
 * the OpenAPI description.
 */
class ConnectorFieldsTest {
  private static final Path FOLDER = Path.of("..", "..", "docs", "connectors");
  private static final Pattern SINGER = Pattern.compile("th\\.Property\\(\"(\\w+)\"");

  private static final Pattern FIVETRAN = Pattern.compile("\"(\\w+)\": \"[A-Z_]+\"");

  /** Always null, so that a warehouse would get an empty column. */
  private static final String ALWAYS_NULL = "calendar_event";

  /** By Singer's convention; the document has no such field. */
  private static final String OF_ERASED = "_sdc_deleted_at";

  private static final Pattern FIELD_OF_ROW = Pattern.compile("`([^`]+)`");

  private static final String HEADER = "| field | meaning | null |";

  private final JsonObject description;
  private final JsonObject described;

  ConnectorFieldsTest() throws IOException {
    this.description =
        new JsonObject(
            Files.readString(Path.of("../../api/src/main/resources/io/egress/api/openapi.json")));
    this.described =
        description
            .getJsonObject("components")
            .getJsonObject("schemas")
            .getJsonObject("CaptureDocument")
            .getJsonObject("properties");
    described.remove(ALWAYS_NULL);
  }

  @Test
  void airbyteHasEveryFieldWithItsType() throws IOException {
    JsonObject properties =
        HelmChart.yaml(FOLDER.resolve("airbyte.yaml"))
            .getJsonArray("streams")
            .getJsonObject(0)
            .getJsonObject("schema_loader")
            .getJsonObject("schema")
            .getJsonObject("properties");

    assertThat(properties.fieldNames()).isEqualTo(described.fieldNames());
    for (String field : properties.fieldNames()) {
      assertThat(types(properties.getJsonObject(field)))
          .as(field)
          .isEqualTo(types(described.getJsonObject(field)));
    }
  }

  @Test
  void singerHasEveryField() throws IOException {
    String tap = Files.readString(FOLDER.resolve("tap_transcripts.py"));
    String stream = tap.substring(tap.indexOf("schema = "), tap.indexOf("def url_base"));

    Set<String> fields = names(SINGER, stream);
    assertThat(fields.remove(OF_ERASED)).isTrue();
    assertThat(fields).isEqualTo(described.fieldNames());
  }

  @Test
  void fivetranHasEveryField() throws IOException {
    String connector = Files.readString(FOLDER.resolve("fivetran").resolve("connector.py"));

    assertThat(names(FIVETRAN, connector)).isEqualTo(described.fieldNames());
  }

  @Test
  void thePageForConsumersHasEveryField() throws IOException {
    Set<String> explained = new TreeSet<>();
    String parent = "";
    for (String row : rows(page("docs/consuming.md"), HEADER)) {
      for (MatchResult code : FIELD_OF_ROW.matcher(row.split("\\|", -1)[1]).results().toList()) {
        String name = code.group(1);
        String whole = name.startsWith(".") ? parent + name : name;
        parent = whole.contains(".") ? whole.substring(0, whole.lastIndexOf('.')) : whole;
        explained.add(whole);
      }
    }

    Set<String> all = new TreeSet<>(fields("", described));
    all.add(ALWAYS_NULL);
    assertThat(explained).isEqualTo(all);
  }

  private Set<String> fields(String prefix, JsonObject properties) {
    Set<String> fields = new TreeSet<>();
    for (String name : properties.fieldNames()) {
      JsonObject schema = DescribedCall.resolved(description, properties.getJsonObject(name));
      JsonObject elements = schema.getJsonObject("items");
      JsonObject nested =
          (elements == null ? schema : DescribedCall.resolved(description, elements))
              .getJsonObject("properties");
      if (elements != null || nested == null) {
        fields.add(prefix + name);
      }
      if (nested != null) {
        fields.addAll(fields(prefix + name + (elements == null ? "." : "[]."), nested));
      }
    }
    return fields;
  }

  private static Set<String> names(Pattern field, String text) {
    return field
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(HashSet::new));
  }

  /** A reference is to an object. */
  private static Set<Object> types(JsonObject schema) {
    Object type = schema.getValue("type", "object");
    return type instanceof JsonArray several
        ? several.stream().collect(Collectors.toSet())
        : Set.of(type);
  }
}
