package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The connectors in docs/connectors have the fields of the document in the OpenAPI description. */
class ConnectorFieldsTest {
  private static final Path FOLDER = Path.of("..", "..", "docs", "connectors");
  private static final Pattern SINGER = Pattern.compile("th\\.Property\\(\"(\\w+)\"");

  private static final Pattern FIVETRAN = Pattern.compile("\"(\\w+)\": \"[A-Z_]+\"");

  /** Always null, so that a warehouse would get an empty column. */
  private static final String ALWAYS_NULL = "calendar_event";

  /** By Singer's convention; the document has no such field. */
  private static final String OF_ERASED = "_sdc_deleted_at";

  private final JsonObject described;

  ConnectorFieldsTest() throws IOException {
    this.described =
        new JsonObject(
                Files.readString(
                    Path.of("../../api/src/main/resources/io/egress/api/openapi.json")))
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
