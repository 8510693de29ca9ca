package io.egress.api.admin.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.portal.Browser;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** An endpoint can be set up in several steps before anything is sent to it. */
class PausedStartTest {
  private static final Service service = Service.shared();

  private final UUID workspace = UUID.randomUUID();
  private final String api = "/internal/v1/workspaces/" + workspace;

  @Test
  void theHistoryWaitsUntilItIsResumed() {
    service.enter(workspace, 3);
    JsonObject created =
        new JsonObject(
            service
                .internal(
                    "POST",
                    api + "/endpoints",
                    new JsonObject()
                        .put("url", "https://receiver.invalid/")
                        .put("full_history", true)
                        .put("paused", true))
                .body());
    assertThat(created.getBoolean("paused")).isTrue();
    assertThat(created.getString("paused_reason")).isEqualTo("requested");
    assertThat(created.getString("paused_at")).isNotNull();
    assertThat(openBackfills(created.getString("id"))).isZero();

    service.internal(
        "PATCH",
        api + "/endpoints/" + created.getString("id"),
        new JsonObject().put("paused", false));

    assertThat(openBackfills(created.getString("id"))).isEqualTo(1);
  }

  @Test
  void aPersonStartsItPausedOnThePage() {
    Browser browser = Browser.at(service, workspace, "admin");
    String page = "/portal/" + workspace;
    HttpResponse<String> created =
        browser.submit(
            page + "/endpoints/new",
            page + "/endpoints",
            Map.of("url", "https://receiver.invalid/", "paused", "true"));

    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(browser.get(page + "/endpoints").body()).contains("state-paused");
    assertThat(browser.get(page + "/audit").body()).contains(", paused");
  }

  private static long openBackfills(String endpoint) {
    return service
        .query(
            "select count(*) from open_backfills('00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', 10000) where endpoint = '%s'"
                .formatted(endpoint))
        .iterator()
        .next()
        .getLong(0);
  }
}
