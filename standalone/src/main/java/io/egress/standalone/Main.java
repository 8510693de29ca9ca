package io.egress.standalone;

import io.egress.settings.SettingsException;
import io.egress.standalone.bench.BenchCommand;
import io.egress.standalone.demo.DemoCommand;
import io.egress.standalone.run.RunningProcess;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code egress} command line. */
@Command(
    name = "egress",
    description = "Finished transcripts leave a product: pulled through one cursor, or pushed.",
    mixinStandardHelpOptions = true,
    version = "Transcript Egress 1.0.0",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DemoCommand.class,
      UpCommand.class,
      RoleCommands.Api.class,
      RoleCommands.Dispatcher.class,
      KeysCommand.class,
      EndpointsCommand.class,
      BenchCommand.class
    })
public final class Main {
  private static final int EXIT_UNUSABLE_SETTINGS = 2;

  private Main() {}

  public static void main(String[] arguments) {
    int exit =
        new CommandLine(new Main())
            .setExecutionExceptionHandler((failure, line, parsed) -> tell(failure))
            .execute(arguments);
    RunningProcess.exit(exit);
  }

  private static int tell(Exception failure) {
    if (failure instanceof SettingsException unusable) {
      unusable.faults().forEach(System.err::println);
      return EXIT_UNUSABLE_SETTINGS;
    }
    System.err.println(failure.getMessage() == null ? failure.toString() : failure.getMessage());
    return 1;
  }
}
