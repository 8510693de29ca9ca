package io.egress.cli;

import java.io.Console;
import picocli.CommandLine.Option;

/** The option of commands that cannot be undone, which ask whoever types them. */
final class Confirmation {
  @Option(names = "--yes", description = "do not ask")
  private boolean yes;

  /** Fails unless the person at the terminal, if there is one, agrees. */
  void require(String question) {
    Console console = Output.terminal().orElse(null);
    if (yes || console == null) {
      return;
    }
    String answer = console.readLine("%s Type yes to go on: ", VisibleText.line(question));
    if (answer == null || !answer.strip().equalsIgnoreCase("yes")) {
      throw new IllegalStateException("nothing was done");
    }
  }
}
