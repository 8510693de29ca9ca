package io.egress.cli;

import static java.util.Objects.requireNonNull;

import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** The commands that talk to a running service. */
public final class Administration {
  private static final Map<String, Supplier<Object>> COMMANDS = commands();

  private Administration() {}

  private static Map<String, Supplier<Object>> commands() {
    Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
    commands.put("workspaces", WorkspacesCommand::new);
    commands.put("captures", CapturesCommand::new);
    commands.put("keys", KeysCommand::new);
    commands.put("endpoints", EndpointsCommand::new);
    commands.put("deliveries", DeliveriesCommand::new);
    commands.put("replays", ReplaysCommand::new);
    commands.put("verify", VerifyCommand::new);
    commands.put("rebuild-queue", RebuildQueueCommand::new);
    commands.put("database", DatabaseCommand::new);
    commands.put("secrets", SecretsCommand::new);
    commands.put("audit", AuditCommand::new);
    commands.put("members", MembersCommand::new);
    commands.put("listen", ListenCommand::new);
    commands.put("mirror", MirrorCommand::new);
    commands.put("portal", PortalCommand::new);
    commands.put("completion", CompletionCommand::new);
    return commands;
  }

  /**
   * Whether the command needs no other one beside it: to read the options of all takes as long as
   * the rest of a call.
   */
  private static boolean isEnough(String... arguments) {
    return arguments.length > 0
        && COMMANDS.containsKey(arguments[0])
        && !arguments[0].equals("completion");
  }

  /** Only the command that the arguments name, if that {@link #isEnough}; otherwise {@code all}. */
  static CommandLine only(String[] arguments, Supplier<CommandLine> all) {
    return isEnough(arguments)
        ? prepared(
            new CommandLine(new CliMain())
                .addSubcommand(requireNonNull(COMMANDS.get(arguments[0])).get()),
            System.getenv())
        : all.get();
  }

  /** The token is found by way of {@code environment}. */
  public static CommandLine addTo(CommandLine line, Map<String, String> environment) {
    COMMANDS.values().forEach(command -> line.addSubcommand(command.get()));
    return prepared(line, environment);
  }

  private static CommandLine prepared(CommandLine line, Map<String, String> environment) {
    line.getSubcommands().values().stream()
        .flatMap(command -> command.getCommandSpec().mixins().values().stream())
        .map(CommandSpec::userObject)
        .filter(InternalApiOptions.class::isInstance)
        .forEach(options -> ((InternalApiOptions) options).readFrom(environment));
    return line.registerConverter(UUID.class, Administration::id)
        .registerConverter(Instant.class, new Instants(Clock.systemUTC()));
  }

  private static UUID id(String text) {
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException notOne) {
      throw new TypeConversionException(
          "'" + text + "' is not an id, such as 0e37df36-f698-11e6-8dd4-cb9ced3df976");
    }
  }
}
