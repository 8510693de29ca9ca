package io.egress.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code egress completion}. */
@Command(
    name = "completion",
    description = "Prints a script that completes commands and options in bash, zsh or fish.",
    footer = {
      "",
      "In bash and zsh:",
      "  source <(egress completion bash)",
      "In fish:",
      "  egress completion fish | source"
    })
final class CompletionCommand implements Runnable {
  private static final String NAME = "egress";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish")
  private String shell = "bash";

  @Override
  public void run() {
    CommandLine root = spec.root().commandLine();
    String script =
        switch (shell) {
          case "bash", "zsh" -> AutoComplete.bash(NAME, root);
          case "fish" -> fish(root);
          default ->
              throw new ParameterException(
                  spec.commandLine(),
                  "there is no completion for " + shell + ", only for bash, zsh and fish");
        };
    PrintWriter out = spec.commandLine().getOut();
    out.print(script);
    out.flush();
  }

  static String fish(CommandLine root) {
    List<String> lines = new ArrayList<>();
    lines.add("complete -c " + NAME + " -f");
    add(lines, root, List.of());
    return String.join("\n", lines) + "\n";
  }

  /** {@code path} is the command as far as it was typed. */
  private static void add(List<String> lines, CommandLine command, List<String> path) {
    Map<String, CommandLine> below = command.getSubcommands();
    below.forEach((name, subcommand) -> {
      lines.add(line(path, below) + " -a " + name + description(subcommand));
      List<String> next = new ArrayList<>(path);
      next.add(name);
      add(lines, subcommand, next);
    });
    for (OptionSpec option : command.getCommandSpec().options()) {
      if (option.longestName().startsWith("--")) {
        lines.add(
            line(path, below) + " -l " + option.longestName().substring(2) + takesValue(option));
      }
    }
  }

  private static String line(List<String> path, Map<String, CommandLine> below) {
    List<String> conditions = new ArrayList<>();
    path.forEach(typed -> conditions.add("__fish_seen_subcommand_from " + typed));
    if (!below.isEmpty()) {
      conditions.add("not __fish_seen_subcommand_from " + String.join(" ", below.keySet()));
    }
    return "complete -c " + NAME + " -n '" + String.join("; and ", conditions) + "'";
  }

  private static String takesValue(OptionSpec option) {
    return option.arity().max() > 0 ? " -r" : "";
  }

  private static String description(CommandLine command) {
    String[] description = command.getCommandSpec().usageMessage().description();
    return description.length == 0
        ? ""
        : " -d '" + description[0].replaceFirst("(?s)[.:;].*", "").replace("'", "") + "'";
  }
}
