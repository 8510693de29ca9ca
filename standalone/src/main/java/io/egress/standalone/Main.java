package io.egress.standalone;

import io.egress.cli.Administration;
import io.egress.cli.CliMain;
import io.egress.standalone.demo.DemoCommand;
import io.egress.standalone.train.TrainCommand;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code egress} command line. */
@Command(
    name = "egress",
    description = "Delivers finished transcripts: pulled through a cursor, or pushed as webhooks.",
    mixinStandardHelpOptions = true,
    scope = CommandLine.ScopeType.INHERIT,
    versionProvider = CliMain.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DemoCommand.class,
      UpCommand.class,
      RoleCommands.Api.class,
      RoleCommands.Dispatcher.class,
      TrainCommand.class
    })
public final class Main {
  Main() {}

  public static void main(String[] arguments) {
    CliMain.run(Main::commandLine, arguments);
  }

  public static CommandLine commandLine() {
    return commandLine(System.getenv());
  }

  /** Administration finds its token by way of {@code environment}. */
  public static CommandLine commandLine(Map<String, String> environment) {
    return Administration.addTo(new CommandLine(new Main()), environment);
  }
}
