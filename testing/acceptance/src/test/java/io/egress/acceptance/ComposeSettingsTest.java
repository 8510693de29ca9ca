package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.environment.SettingDescription;
import io.egress.settings.Settings;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** docker-compose.yml passes every setting on, so that .env is enough to change one. */
class ComposeSettingsTest {
  /** A dispatcher has no public listener, and would look for the files. */
  private static final Set<String> API_ALONE = Set.of("EGRESS_TLS_CERTIFICATE", "EGRESS_TLS_KEY");

  /** The process that clients reach may not change tables. */
  private static final Set<String> DISPATCHER_ALONE = Set.of("EGRESS_DATABASE_OWNER_URL");

  private final JsonObject services;

  ComposeSettingsTest() throws IOException {
    this.services =
        HelmChart.yaml(Path.of("..", "..", "docker-compose.yml")).getJsonObject("services");
  }

  @Test
  void passesOnEverySetting() {
    Set<String> known =
        Settings.descriptions().stream()
            .map(SettingDescription::name)
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(passedTo("api")).isEqualTo(without(DISPATCHER_ALONE, known));
    assertThat(passedTo("dispatcher")).isEqualTo(without(API_ALONE, known));
  }

  private static Set<String> without(Set<String> names, Set<String> all) {
    Set<String> rest = new TreeSet<>(all);
    rest.removeAll(names);
    return rest;
  }

  private Set<String> passedTo(String role) {
    return new TreeSet<>(services.getJsonObject(role).getJsonObject("environment").fieldNames());
  }
}
