package io.egress.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.cli.Administration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The commands that the script {@code egress} starts as what they are. */
class LauncherTest {
  @Command
  private static final class Nothing {}

  @Test
  void startsAllCommandsButThoseThatRunSomethingAsCallsOfAService() throws IOException {
    Set<String> running = new HashSet<>(BenchMain.commandLine().getSubcommands().keySet());
    running.removeAll(
        Administration.addTo(new CommandLine(new Nothing()), Map.of()).getSubcommands().keySet());
    running.remove("help");
    Matcher listed =
        Pattern.compile("\n  (demo .*)\\) ;;\n")
            .matcher(Files.readString(Path.of("..", "..", "egress")));

    assertThat(listed.find()).isTrue();
    assertThat(List.of(listed.group(1).split(" \\| "))).hasSameElementsAs(running);
  }
}
