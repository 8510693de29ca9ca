package io.egress.standalone;

import io.egress.lifecycle.RunningProcess;
import io.egress.standalone.bench.BenchCommand;
import io.egress.standalone.demo.DemoCommand;
import io.egress.standalone.fuzz.FuzzCommand;
import io.egress.standalone.torture.TortureCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code egress} command line. */
@Command(
    name = "egress",
    description = "Finished transcripts leave a product: pulled through one cursor, or pushed.",
    mixinStandardHelpOptions = true,
    scope = CommandLine.ScopeType.INHERIT,
    version = "Transcript Egress 1.0.0",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DemoCommand.class,
      UpCommand.class,
      RoleCommands.Api.class,
      RoleCommands.Dispatcher.class,
      KeysCommand.class,
      EndpointsCommand.class,
      BenchCommand.class,
      TortureCommand.class,
      FuzzCommand.class
    })
public final class Main {
  Main() {}

  public static void main(String[] arguments) {
    int exit =
        new CommandLine(new Main())
            .setExecutionExceptionHandler((failure, line, parsed) -> RunningProcess.tell(failure))
            .execute(arguments);
    RunningProcess.exit(exit);
  }
}
