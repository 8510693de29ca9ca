package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.environment.SettingDescription;
import io.egress.settings.Settings;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The chart takes every setting of the service, and is of its version. */
class ChartSettingsTest {
  private static final Set<String> WITH_VALUES_OF_THEIR_OWN =
      Set.of(
          "EGRESS_INTERNAL_HOST",
          "EGRESS_INTERNAL_PORT",
          "EGRESS_KAFKA_BOOTSTRAP",
          "EGRESS_PUBLIC_HOST",
          "EGRESS_PUBLIC_PORT",
          "EGRESS_SHUTDOWN_TIMEOUT",
          "EGRESS_TLS_CERTIFICATE",
          "EGRESS_TLS_KEY",
          "EGRESS_TOPIC_PARTITIONS");

  private final JsonObject definitions;

  ChartSettingsTest() throws IOException {
    this.definitions =
        new JsonObject(Files.readString(HelmChart.FOLDER.resolve("values.schema.json")))
            .getJsonObject("definitions");
  }

  @Test
  void takesEverySetting() {
    Set<String> taken = new TreeSet<>(WITH_VALUES_OF_THEIR_OWN);
    taken.addAll(names("plainSetting"));
    taken.addAll(names("secretSetting"));

    assertThat(taken)
        .as("definitions of values.schema.json")
        .isEqualTo(
            Settings.descriptions().stream()
                .map(SettingDescription::name)
                .collect(Collectors.toCollection(TreeSet::new)));
    assertThat(names("plainSetting"))
        .doesNotContainAnyElementsOf(names("secretSetting"))
        .doesNotContainAnyElementsOf(WITH_VALUES_OF_THEIR_OWN)
        .containsAll(names("fileSetting"));
  }

  @Test
  void hasTheDefaultsOfTheService() throws IOException {
    JsonObject values = HelmChart.yaml(HelmChart.FOLDER.resolve("values.yaml"));
    Map<String, String> defaults =
        Settings.descriptions().stream()
            .filter(setting -> setting.fallback() != null)
            .collect(Collectors.toMap(SettingDescription::name, SettingDescription::fallback));

    assertThat(values.getJsonObject("topics").getInteger("partitions"))
        .hasToString(defaults.get("EGRESS_TOPIC_PARTITIONS"));
    assertThat(values.getInteger("shutdownSeconds") + "s")
        .isEqualTo(defaults.get("EGRESS_SHUTDOWN_TIMEOUT"));
  }

  @Test
  void isReleasedWithTheService() throws IOException {
    Matcher version =
        Pattern.compile("<artifactId>transcript-egress</artifactId>\\s*<version>([^<]+)<")
            .matcher(Files.readString(Path.of("..", "..", "pom.xml")));
    assertThat(version.find()).isTrue();

    JsonObject chart = HelmChart.yaml(HelmChart.FOLDER.resolve("Chart.yaml"));
    assertThat(chart.getString("version")).isEqualTo(version.group(1));
    assertThat(chart.getString("appVersion")).isEqualTo(version.group(1));
  }

  private List<String> names(String definition) {
    return definitions.getJsonObject(definition).getJsonArray("enum").stream()
        .map(String.class::cast)
        .toList();
  }
}
