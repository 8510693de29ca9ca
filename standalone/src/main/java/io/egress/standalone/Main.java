package io.egress.standalone;

import io.egress.cli.Administration;
import io.egress.cli.Program;
import io.egress.cli.Version;
import io.egress.standalone.demo.DemoCommand;
import io.egress.standalone.train.TrainCommand;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code egress} command line. */
@Command(
    name = "egress",
    description = "Delivers finished transcripts: pulled through a cursor, or pushed as webhooks.",
    mixinStandardHelpOptions = true,
    scope = CommandLine.ScopeType.INHERIT,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND")
public final class Main {
  Main() {}

  public static void main(String[] arguments) {
    program().run(arguments);
  }

  public static Program program() {
    Map<String, Class<?>> commands = new LinkedHashMap<>();
    commands.put("demo", DemoCommand.class);
    commands.put("up", UpCommand.class);
    commands.put("api", RoleCommands.Api.class);
    commands.put("dispatcher", RoleCommands.Dispatcher.class);
    commands.put("train", TrainCommand.class);
    commands.putAll(Administration.COMMANDS);
    return new Program(Main.class, commands);
  }
}
