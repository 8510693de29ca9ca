package io.egress.standalone;

import io.egress.api.ApiMain;
import io.egress.dispatcher.DispatcherMain;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** One role of the service, for real backends. */
final class RoleCommands {
  private RoleCommands() {}

  @Command(
      name = "api",
      description = "Runs the api role: pull, completion hook, administration, relay.",
      footer = {"", "With the settings of a file:", "  env $(cat production.env) egress api"})
  static final class Api implements Callable<Integer> {
    @Override
    public Integer call() {
      return ApiMain.run();
    }
  }

  @Command(
      name = "dispatcher",
      description = "Runs the dispatcher role: fan-out, delivery and retries.",
      footer = {
        "",
        "With the settings of a file:",
        "  env $(cat production.env) egress dispatcher"
      })
  static final class Dispatcher implements Callable<Integer> {
    @Override
    public Integer call() {
      return DispatcherMain.run();
    }
  }
}
