package io.egress.standalone;

import io.egress.api.ApiMain;
import io.egress.dispatcher.DispatcherMain;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** The commands of the container images, for real backends. */
final class RoleCommands {
  private RoleCommands() {}

  @Command(
      name = "api",
      description = "Runs the api role: pull, completion hook, administration, relay.")
  static final class Api implements Callable<Integer> {
    @Override
    public Integer call() {
      return ApiMain.run();
    }
  }

  @Command(
      name = "dispatcher",
      description = "Runs the dispatcher role: fan-out, delivery and retries.")
  static final class Dispatcher implements Callable<Integer> {
    @Override
    public Integer call() {
      return DispatcherMain.run();
    }
  }
}
