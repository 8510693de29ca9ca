package io.egress.cli;

import io.egress.platform.lifecycle.RunningProcess;
import java.io.PrintWriter;
import java.util.function.Supplier;
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

  public static void main(String[] arguments) {
    run(() -> Administration.addTo(new CommandLine(new CliMain()), System.getenv()), arguments);
  }

  /** Ends the JVM with the command's exit status. {@code all} are the commands of the program. */
  public static void run(Supplier<CommandLine> all, String[] arguments) {
    int status = execute(Administration.only(arguments, all), arguments);
    endSelectors();
    RunningProcess.exit(status);
  }

  /**
   * A JVM that ends waits up to 0.3 s for threads in native code, where the selector of an idle
   * HTTP client is. Clients cannot be closed before JDK 21.
   */
  private static void endSelectors() {
    Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().endsWith("-SelectorManager"))
        .forEach(Thread::interrupt);
  }

  /** The exit status of a command, whose failure is printed. */
  public static int execute(CommandLine line, String... arguments) {
    return line.setExecutionExceptionHandler(
            (failure, command, _) -> {
              PrintWriter err = command.getErr();
              int status = RunningProcess.report(failure, err::println);
              err.flush();
              return status;
            })
        .execute(arguments);
  }
}
