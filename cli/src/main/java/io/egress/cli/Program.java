package io.egress.cli;

import io.egress.platform.lifecycle.RunningProcess;
import java.io.PrintWriter;
import java.util.Map;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A command line: what {@code root} describes, and its commands by name. Reading the options of all
 * of them takes longer than a call, so only those of the command that is called are read.
 */
public record Program(Class<?> root, Map<String, Class<?>> commands) {
  /** All commands with all their options. The token is found by way of {@code environment}. */
  public CommandLine whole(Map<String, String> environment) {
    CommandLine line = new CommandLine(root);
    commands.values().forEach(line::addSubcommand);
    return Administration.prepared(line, environment);
  }

  /** Ends the JVM with the command's exit status. */
  public void run(String... arguments) {
    if (Boolean.getBoolean("egress.rehearsal")) {
      Rehearsal.of(this);
      RunningProcess.exit(0);
    }
    int status = execute(line(System.getenv(), arguments), arguments);
    endSelectors();
    RunningProcess.exit(status);
  }

  /** What {@code arguments} call, or all commands by name and description. */
  CommandLine line(Map<String, String> environment, String... arguments) {
    String first = arguments.length == 0 ? "" : arguments[0];
    if (first.equals("completion") || first.startsWith("@")) {
      return whole(environment);
    }
    CommandLine line = new CommandLine(root);
    Class<?> called = commands.get(first);
    if (called != null) {
      line.addSubcommand(called);
    } else {
      commands.forEach((name, command) -> line.addSubcommand(name, summary(command)));
    }
    return Administration.prepared(line, environment);
  }

  /** Enough for the list of commands, and for what a mistyped one may have meant. */
  private static CommandSpec summary(Class<?> command) {
    CommandSpec summary = CommandSpec.create();
    summary.usageMessage().description(command.getAnnotation(Command.class).description());
    return summary;
  }

  /**
   * A JVM that ends waits up to 0.3 s for threads in native code, where the selector of an idle
   * HTTP client is.
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
              int status = report(failure, text -> err.println(VisibleText.lines(text)));
              err.flush();
              return status;
            })
        .execute(arguments);
  }

  private static int report(Exception failure, Consumer<String> err) {
    if (failure instanceof UsageException wrong) {
      err.accept(wrong.getMessage());
      return CommandLine.ExitCode.USAGE;
    }
    return RunningProcess.report(failure, err);
  }
}
