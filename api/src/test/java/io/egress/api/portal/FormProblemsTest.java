package io.egress.api.portal;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Forms name their fields as the page does, and not as the API. */
class FormProblemsTest {
  private static final Service service = Service.shared();

  private final UUID workspace = UUID.randomUUID();
  private final Browser browser = Browser.at(service, workspace, "admin");
  private final String page = "/portal/" + workspace;

  @Test
  void devicesThatAreNoIdsAreNamedBesideTheirField() {
    HttpResponse<String> refused =
        browser.submit(
            page + "/keys", page + "/keys", Map.of("name", "x", "filter_devices", "kitchen"));

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body())
        .contains("Devices must be", "id=\"filter-problem\"", ">kitchen</textarea>")
        .doesNotContain("filter.devices");
  }
}
