package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.environment.SettingDescription;
import io.egress.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The settings table in docs/operating.md is made from the code. */
class SettingsTableTest {
  private static final Path PAGE = Path.of("../../docs/operating.md");
  private static final String BEGIN = "<!-- settings: begin -->\n";
  private static final String END = "<!-- settings: end -->";

  @Test
  void showsEverySettingAsTheCodeHasIt() throws IOException {
    String page = Files.readString(PAGE);

    assertThat(page.substring(page.indexOf(BEGIN) + BEGIN.length(), page.indexOf(END)))
        .as("replace what stands between the two marks by this")
        .isEqualTo(table());
  }

  private static String table() {
    return "| setting | default | meaning |\n|---|---|---|\n"
        + Settings.descriptions().stream()
            .map(SettingsTableTest::row)
            .collect(Collectors.joining());
  }

  private static String row(SettingDescription setting) {
    return "| `" + setting.name() + "` | " + shown(setting) + " | " + setting.meaning() + " |\n";
  }

  private static String shown(SettingDescription setting) {
    String fallback = setting.fallback();
    if (fallback == null) {
      return "required";
    }
    return fallback.isEmpty() ? "none" : "`" + fallback + "`";
  }
}
