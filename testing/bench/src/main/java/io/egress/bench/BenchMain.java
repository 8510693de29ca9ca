package io.egress.bench;

import io.egress.bench.fuzz.FuzzCommand;
import io.egress.bench.load.BenchCommand;
import io.egress.bench.torture.TortureCommand;
import io.egress.cli.CliMain;
import io.egress.standalone.Main;
import picocli.CommandLine;

/** The {@code egress} command line of a checkout: the service's commands and the load suites. */
public final class BenchMain {
  private BenchMain() {}

  public static void main(String[] arguments) {
    CliMain.run(BenchMain::commandLine, arguments);
  }

  static CommandLine commandLine() {
    return Main.commandLine()
        .addSubcommand(new BenchCommand())
        .addSubcommand(new TortureCommand())
        .addSubcommand(new FuzzCommand());
  }
}
