package io.egress.api.pull;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

/** Reads what pulls are answered with. */
final class PullAnswers {
  static final ObjectMapper JSON = new ObjectMapper();
  static final String LIST = "/api/v1/captures";

  private PullAnswers() {}

  static void assertError(HttpResponse<String> answer, int status, String message)
      throws Exception {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    JsonNode body = JSON.readTree(answer.body());
    assertThat(names(body)).containsExactly("error");
    assertThat(names(body.path("error"))).containsExactly("message", "status");
    assertThat(body.path("error").path("status").intValue()).isEqualTo(status);
    assertThat(body.path("error").path("message").textValue()).contains(message);
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
  }

  static List<String> idsOf(JsonNode page) {
    List<String> found = new ArrayList<>();
    page.path("captures").forEach(capture -> found.add(capture.path("id").textValue()));
    return found;
  }

  static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
