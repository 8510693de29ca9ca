package io.egress.cli;

import java.util.List;
import picocli.CommandLine;

/** The commands that talk to a running service. */
public final class Administration {
  private Administration() {}

  public static CommandLine addTo(CommandLine line) {
    List.of(
            new KeysCommand(),
            new EndpointsCommand(),
            new DeliveriesCommand(),
            new ReplaysCommand(),
            new VerifyCommand(),
            new RebuildQueueCommand(),
            new SecretsCommand(),
            new AuditCommand(),
            new CapturesCommand(),
            new MembersCommand(),
            new ListenCommand(),
            new PortalCommand())
        .forEach(line::addSubcommand);
    return line;
  }
}
