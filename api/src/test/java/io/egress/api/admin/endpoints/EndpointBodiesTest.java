package io.egress.api.admin.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Valid and invalid bodies for endpoints. */
class EndpointBodiesTest {
  private static final String URL = "https://example.com/hook";

  private static final Service service = Service.shared();

  private EndpointsClient endpoints;

  @BeforeEach
  void freshWorkspace() {
    endpoints = new EndpointsClient(service, UUID.randomUUID());
  }

  @Test
  void reportsEveryFaultOfABody() {
    HttpResponse<String> creation =
        service.internal(
            "POST",
            endpoints.path(),
            "{\"url\":\"http://u:p@10.0.0.1/#a\",\"description\":5,\"full_history\":\"yes\"}");
    assertThat(creation.statusCode()).isEqualTo(400);
    assertThat(EndpointsClient.message(creation))
        .contains("url: the scheme must be https, not http")
        .contains("url: the URL must not carry a user name")
        .contains("url: the URL must not have a fragment")
        .contains("description: must be a string")
        .contains("full_history: must be true or false");

    HttpResponse<String> change =
        endpoints.change(
            endpoints.create(URL), "{\"url\":null,\"description\":[],\"paused\":null}");
    assertThat(change.statusCode()).isEqualTo(400);
    assertThat(EndpointsClient.message(change))
        .contains("url: must not be null")
        .contains("description: must be a string")
        .contains("paused: must not be null");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | url: is required",
        "{\"url\":\" \"} | url: must not be blank",
        "{\"url\":7} | url: must be a string, not a number",
        "{\"url\":\"https://10.1.2.3/\"} | url: the address must be public: 10.1.2.3 is private",
        "{\"url\":\"https://[::ffff:127.0.0.1]/\"} | url: the address must be public: 127.0.0.1",
        "{\"url\":\"https://169.254.169.254/latest\"} | url: the address must be public",
        "{\"url\":\"ftp://example.com\"} | url: the scheme must be https, not ftp",
        "[] | must be a JSON object",
        "'' | the body is empty",
      })
  void createsNothingFromAnInvalidBody(String body, String fault) {
    HttpResponse<String> answer = service.internal("POST", endpoints.path(), body);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(EndpointsClient.message(answer)).contains(fault);
    assertThat(endpoints.list()).isEmpty();
  }

  @Test
  void acceptsHttpAndPrivateAddressesIfAllowed() {
    try (Service lenient =
        service.twin(
            Map.of(
                "EGRESS_ALLOW_HTTP_ENDPOINTS",
                "true",
                "EGRESS_ALLOW_ENDPOINT_NETWORKS",
                "127.0.0.0/8"))) {
      assertThat(status(lenient, "http://127.0.0.1:9000/hook")).isEqualTo(201);
      assertThat(status(lenient, "http://10.0.0.1/hook")).isEqualTo(400);
    }
  }

  private int status(Service asked, String url) {
    return asked.internal("POST", endpoints.path(), new JsonObject().put("url", url)).statusCode();
  }
}
