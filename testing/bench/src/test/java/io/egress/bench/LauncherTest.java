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
import java.util.regex.Pattern;
import java.util.stream.Stream;
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
    List<String> listed =
        Pattern.compile("(?m)^  ([a-z |]+)\\) role=")
            .matcher(Files.readString(Path.of("..", "..", "egress")))
            .results()
            .flatMap(line -> Stream.of(line.group(1).split(" \\| ")))
            .toList();

    assertThat(listed).hasSameElementsAs(running);
  }
}
