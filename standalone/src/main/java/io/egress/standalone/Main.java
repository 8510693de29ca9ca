package io.egress.standalone;

import io.egress.lifecycle.RunningProcess;
import io.egress.standalone.demo.DemoCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code egress} command line. */
@Command(
    name = "egress",
    description = "Finished transcripts leave a product: pulled through one cursor, or pushed.",
    mixinStandardHelpOptions = true,
    scope = CommandLine.ScopeType.INHERIT,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DemoCommand.class,
      UpCommand.class,
      RoleCommands.Api.class,
      RoleCommands.Dispatcher.class,
      KeysCommand.class,
      EndpointsCommand.class,
      DeliveriesCommand.class,
      ReplaysCommand.class,
      VerifyCommand.class,
      SecretsCommand.class,
      AuditCommand.class,
      PortalCommand.class
    })
public final class Main {
  Main() {}

  /** From the manifest of the jar; classes that are not in one have no version. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"Transcript Egress " + (version == null ? "development" : version)};
    }
  }

  public static void main(String[] arguments) {
    run(commandLine(), arguments);
  }

  public static CommandLine commandLine() {
    return new CommandLine(new Main());
  }

  /** Ends the JVM with the command's exit status. */
  public static void run(CommandLine line, String[] arguments) {
    line.setExecutionExceptionHandler((failure, command, parsed) -> RunningProcess.tell(failure));
    RunningProcess.exit(line.execute(arguments));
  }
}
