package io.egress.acceptance;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.environment.SettingDescription;
import io.egress.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** .env.example shows every setting that it can change, with the default of the code. */
class EnvironmentExampleTest {
  private static final Pattern SHOWN = Pattern.compile("(?m)^#(EGRESS_\\w+)=(.*)$");

  /** docker-compose.yml sets them itself, or deploy/make-env does. */
  private static final Set<String> SET_ALREADY =
      Set.of(
          "EGRESS_DATABASE_URL",
          "EGRESS_INTERNAL_HOST",
          "EGRESS_INTERNAL_PORT",
          "EGRESS_INTERNAL_TOKEN",
          "EGRESS_KAFKA_BOOTSTRAP",
          "EGRESS_PUBLIC_HOST",
          "EGRESS_PUBLIC_PORT",
          "EGRESS_SECRET_KEY");

  @Test
  void showsEveryDefault() throws IOException {
    Map<String, String> shown = new TreeMap<>();
    SHOWN
        .matcher(Files.readString(Path.of("..", "..", ".env.example")))
        .results()
        .forEach(line -> shown.put(line.group(1), line.group(2)));

    assertThat(shown)
        .isEqualTo(
            Settings.descriptions().stream()
                .filter(setting -> !SET_ALREADY.contains(setting.name()))
                .collect(toMap(SettingDescription::name, EnvironmentExampleTest::fallback)));
  }

  private static String fallback(SettingDescription setting) {
    String fallback = setting.fallback();
    return fallback == null ? "required" : fallback;
  }
}
