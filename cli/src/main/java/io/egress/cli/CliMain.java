package io.egress.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code egress} command line of the container images: administration only. */
@Command(
    name = "egress",
    description = "Administers a running service.",
    mixinStandardHelpOptions = true,
    scope = CommandLine.ScopeType.INHERIT,
    versionProvider = CliMain.Version.class,
    synopsisSubcommandLabel = "COMMAND")
public final class CliMain {
  CliMain() {}

  /** From the manifest of the jar; classes outside a jar have no version. */
  public static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = CliMain.class.getPackage().getImplementationVersion();
      return new String[] {"Transcript Egress " + (version == null ? "development" : version)};
    }
  }

  static Program program() {
    return new Program(CliMain.class, Administration.COMMANDS);
  }

  public static void main(String[] arguments) {
    program().run(arguments);
  }
}
