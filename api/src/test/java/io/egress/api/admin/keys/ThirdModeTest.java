package io.egress.api.admin.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A mode that a later release adds, in a database of its own. */
class ThirdModeTest {
  private static final String DEVICE = "00000000-0000-4000-8000-000000000001";

  private final UUID workspace = UUID.randomUUID();

  @Test
  void aKeyForDevicesReadsIt() {
    try (Service service = Service.start()) {
      List<UUID> ids = service.enter(workspace, 3);
      service.query("alter table captures drop constraint captures_mode_check");
      service.query("update captures set mode = 'phone' where id = '%s'".formatted(ids.get(1)));
      service.query(
          "update stream set mode = 'phone' where capture_id = '%s'".formatted(ids.get(1)));
      service.put(ids.get(1), Service.capture(workspace).put("title", "Corrected"));
      String key = keyForTheDevice(service);

      JsonObject page = new JsonObject(service.pull("/api/v1/captures?limit=2", key).body());
      assertThat(page.getJsonArray("captures"))
          .extracting(each -> ((JsonObject) each).getString("id"))
          .containsExactly(ids.get(0).toString(), ids.get(1).toString());
      assertThat(page.getJsonObject("pageInfo").getBoolean("hasNextPage")).isTrue();
      assertThat(service.pull("/api/v1/changes", key).body()).contains(ids.get(1).toString());
      assertThat(service.pull("/api/v1/inventory", key).body()).contains(ids.get(1).toString());
    }
  }

  private String keyForTheDevice(Service service) {
    JsonObject limited =
        new JsonObject()
            .put("name", "of a device")
            .put("filter", new JsonObject().put("devices", new JsonArray().add(DEVICE)));
    return new JsonObject(
            service
                .internal("POST", "/internal/v1/workspaces/" + workspace + "/api-keys", limited)
                .body())
        .getString("key");
  }
}
