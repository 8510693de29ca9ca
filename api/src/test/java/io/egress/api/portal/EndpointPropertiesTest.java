package io.egress.api.portal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import io.egress.api.Service;
import io.egress.api.intake.EndpointBody;
import io.egress.api.intake.GivenBody;
import io.egress.api.intake.Intake;
import io.egress.api.portal.access.PortalForm;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.endpoint.AddressPolicy;
import io.egress.webhook.endpoint.EndpointSpec;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a new property of an endpoint needs beside its component of {@link EndpointSpec}. */
class EndpointPropertiesTest {
  private static final JsonObject DESCRIPTION = Service.internalDescription();
  private static final String ENDPOINTS = "/internal/v1/workspaces/{workspace}/endpoints";

  static Stream<String> properties() {
    return Arrays.stream(EndpointSpec.class.getRecordComponents())
        .map(RecordComponent::getName)
        .map(SnakeCaseStrategy.INSTANCE::translate);
  }

  @ParameterizedTest
  @MethodSource("properties")
  void bodiesHaveIt(String property) {
    EndpointBody bodies = new EndpointBody(true, new AddressPolicy(List.of()));

    Intake<?> read = bodies.change(GivenBody.of(new JsonObject().put(property, new JsonObject())));

    assertThat(((Intake.Refused<?>) read).faults().summary()).startsWith(property);
  }

  @ParameterizedTest
  @MethodSource("properties")
  void itIsDescribed(String property) {
    assertThat(bodyOf(ENDPOINTS, "post").fieldNames()).contains(property);
    assertThat(bodyOf(ENDPOINTS + "/{id}", "patch").fieldNames()).contains(property);
    assertThat(object(DESCRIPTION, "components", "schemas", "Endpoint", "properties").fieldNames())
        .contains(property);
  }

  @ParameterizedTest
  @MethodSource("properties")
  void theAuditLogHasAWordForIt(String property) {
    assertThat(AuditSentences.of("endpoint.changed", changed(property)))
        .doesNotContain(": " + property + " from");
  }

  @ParameterizedTest
  @MethodSource("properties")
  void theFormHasAField(String property) throws IOException {
    String form =
        template("endpoint-fields") + template("endpoint-more-fields") + template("filter-fields");

    for (String name : property.equals("events") ? events() : List.of(property)) {
      assertThat(form).contains("name=\"" + name + "\"");
    }
  }

  private static String template(String name) throws IOException {
    return Files.readString(Path.of("src", "main", "jte", name + ".jte"));
  }

  @ParameterizedTest
  @MethodSource("properties")
  void theFormSendsIt(String property) {
    assertThat(EndpointForm.body(PortalForm.NONE).fieldNames()).contains(property);
  }

  @Test
  void propertiesAreFound() {
    assertThat(properties()).contains("url", "standard_webhooks");
  }

  private static List<String> events() {
    return Event.words(Event.OF_CAPTURES).stream()
        .filter(word -> !word.equals(Event.CAPTURE_PROCESSED.word()))
        .toList();
  }

  private static JsonObject changed(String property) {
    return new JsonObject().put(property, new JsonObject().put("from", null).put("to", "x"));
  }

  private static JsonObject bodyOf(String path, String method) {
    return object(
        DESCRIPTION,
        "paths",
        path,
        method,
        "requestBody",
        "content",
        "application/json",
        "schema",
        "properties");
  }

  private static JsonObject object(JsonObject from, String... path) {
    JsonObject found = from;
    for (String name : path) {
      found = found.getJsonObject(name);
      assertThat(found).as(String.join("/", path)).isNotNull();
    }
    return found;
  }
}
