package io.egress.cli;

import java.time.Clock;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** The commands that talk to a running service. */
public final class Administration {
  public static final Map<String, Class<?>> COMMANDS = commands();

  private Administration() {}

  private static Map<String, Class<?>> commands() {
    Map<String, Class<?>> commands = new LinkedHashMap<>();
    commands.put("workspaces", WorkspacesCommand.class);
    commands.put("captures", CapturesCommand.class);
    commands.put("import", ImportCommand.class);
    commands.put("keys", KeysCommand.class);
    commands.put("readers", ReadersCommand.class);
    commands.put("endpoints", EndpointsCommand.class);
    commands.put("deliveries", DeliveriesCommand.class);
    commands.put("replays", ReplaysCommand.class);
    commands.put("verify", VerifyCommand.class);
    commands.put("rebuild-queue", RebuildQueueCommand.class);
    commands.put("database", DatabaseCommand.class);
    commands.put("secrets", SecretsCommand.class);
    commands.put("audit", AuditCommand.class);
    commands.put("members", MembersCommand.class);
    commands.put("listen", ListenCommand.class);
    commands.put("mirror", MirrorCommand.class);
    commands.put("portal", PortalCommand.class);
    commands.put("sessions", SessionsCommand.class);
    commands.put("completion", CompletionCommand.class);
    return Collections.unmodifiableMap(commands);
  }

  /** {@code line} reads ids and times, and finds its token by way of {@code environment}. */
  static CommandLine prepared(CommandLine line, Map<String, String> environment) {
    line.getSubcommands().values().stream()
        .flatMap(command -> command.getCommandSpec().mixins().values().stream())
        .map(CommandSpec::userObject)
        .filter(InternalApiOptions.class::isInstance)
        .forEach(options -> ((InternalApiOptions) options).readFrom(environment));
    Map<String, String> known = Map.copyOf(environment);
    return line.registerConverter(UUID.class, Administration::id)
        .registerConverter(Instant.class, new Instants(Clock.systemUTC()))
        .registerConverter(SecretText.class, text -> new SecretText(text, known))
        .registerConverter(SecretText.Header.class, SecretText.Header.reader(known));
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
