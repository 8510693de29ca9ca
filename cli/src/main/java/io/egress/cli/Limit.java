package io.egress.cli;

import picocli.CommandLine.Option;

/** How many entries of a list are printed. */
final class Limit {
  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "maximum number of entries (${DEFAULT-VALUE})")
  private int entries;

  int entries() {
    return entries;
  }
}
