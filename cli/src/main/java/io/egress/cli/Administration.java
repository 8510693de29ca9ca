package io.egress.cli;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** The commands that talk to a running service. */
public final class Administration {
  private Administration() {}

  public static CommandLine addTo(CommandLine line) {
    return addTo(line, System.getenv());
  }

  /** The token is found by way of {@code environment}. */
  public static CommandLine addTo(CommandLine line, Map<String, String> environment) {
    List.of(
            new WorkspacesCommand(),
            new CapturesCommand(),
            new KeysCommand(),
            new EndpointsCommand(),
            new DeliveriesCommand(),
            new ReplaysCommand(),
            new VerifyCommand(),
            new RebuildQueueCommand(),
            new DatabaseCommand(),
            new SecretsCommand(),
            new AuditCommand(),
            new MembersCommand(),
            new ListenCommand(),
            new PortalCommand(),
            new CompletionCommand())
        .forEach(line::addSubcommand);
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
