package io.egress.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** A command line of the administration commands alone. */
@Command(
    name = "egress",
    description = "Administers a running service.",
    mixinStandardHelpOptions = true,
    scope = CommandLine.ScopeType.INHERIT,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND")
final class AdministrationProgram {
  AdministrationProgram() {}

  static Program make() {
    return new Program(AdministrationProgram.class, Administration.COMMANDS);
  }
}
