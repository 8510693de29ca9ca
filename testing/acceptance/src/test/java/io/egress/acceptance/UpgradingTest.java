package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.environment.SettingDescription;
import io.egress.settings.Settings;
import io.egress.standalone.Main;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Commands, metrics, settings and files that docs/upgrading.md names exist. */
class UpgradingTest {
  private static final Pattern COMMAND =
      Pattern.compile("(?<=[/ `])(egress(?: [A-Za-z-]+)+)(?=`|$| +#)", Pattern.MULTILINE);
  private static final Pattern METRIC = Pattern.compile("\\begress_[a-z_]+(?=[`{])");
  private static final Pattern SETTING = Pattern.compile("\\bEGRESS_[A-Z_]+[A-Z]\\b");
  private static final Pattern FILE = Pattern.compile("\\bdeploy/[\\w/-]+\\w(?=[ /`])");

  private final String page;

  UpgradingTest() throws IOException {
    this.page = Snippets.page("docs/upgrading.md");
  }

  @Test
  void commandsParse() {
    Set<String> commands = found(COMMAND);
    assertThat(commands).contains("egress verify WORKSPACE", "egress train", "egress up");
    for (String command : commands) {
      String[] words = command.split(" ", -1);
      if (words.length == 2) {
        assertThat(Main.program().commands()).as(command).containsKey(words[1]);
      } else {
        assertThat(CallsHaveCommandsTest.parsed(command).getSubcommands()).as(command).isEmpty();
      }
    }
  }

  /** MetricsTableTest compares the other page with what the roles expose. */
  @Test
  void metricsAreExposed() throws IOException {
    String metrics = Snippets.page("docs/metrics.md");
    assertThat(found(METRIC))
        .contains("egress_outbox_waiting")
        .allSatisfy(metric -> assertThat(metrics).contains("| `" + metric + "` |"));
  }

  @Test
  void settingsAreRead() {
    Stream<String> names = Settings.descriptions().stream().map(SettingDescription::name);
    assertThat(found(SETTING))
        .contains("EGRESS_DATABASE_URL")
        .isSubsetOf(names.collect(Collectors.toSet()));
  }

  @Test
  void filesAreInTheRepository() {
    assertThat(found(FILE))
        .contains("deploy/helm/transcript-egress")
        .allSatisfy(file -> assertThat(Path.of("..", "..", file)).exists());
  }

  private Set<String> found(Pattern pattern) {
    return pattern
        .matcher(page)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
