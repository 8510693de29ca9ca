package io.egress.bench;

import io.egress.bench.age.AgeCommand;
import io.egress.bench.fuzz.FuzzCommand;
import io.egress.bench.load.BenchCommand;
import io.egress.bench.torture.TortureCommand;
import io.egress.cli.Program;
import io.egress.standalone.Main;
import java.util.LinkedHashMap;
import java.util.Map;

/** The {@code egress} command line of a checkout: the service's commands and the load suites. */
public final class BenchMain {
  private BenchMain() {}

  public static void main(String[] arguments) {
    program().run(arguments);
  }

  static Program program() {
    Program service = Main.program();
    Map<String, Class<?>> commands = new LinkedHashMap<>(service.commands());
    commands.put("bench", BenchCommand.class);
    commands.put("torture", TortureCommand.class);
    commands.put("fuzz", FuzzCommand.class);
    commands.put("age", AgeCommand.class);
    return new Program(service.root(), commands);
  }
}
