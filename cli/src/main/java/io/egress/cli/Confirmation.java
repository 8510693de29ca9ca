package io.egress.cli;

import java.io.Console;
import picocli.CommandLine.Option;

/** The option of commands that cannot be undone, which ask whoever types them. */
final class Confirmation {
  @Option(names = "--yes", description = "do not ask")
  private boolean yes;

  /** Fails unless the person at the terminal, if there is one, agrees. */
  @SuppressWarnings("SystemConsoleNull") // Without a terminal it is null again from JDK 25 on.
  void require(String question) {
    Console console = System.console();
    if (yes || console == null || !console.isTerminal()) {
      return;
    }
    String answer = console.readLine("%s Type yes to go on: ", question);
    if (answer == null || !answer.strip().equalsIgnoreCase("yes")) {
      throw new IllegalStateException("nothing was done");
    }
  }
}
