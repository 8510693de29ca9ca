package io.egress.standalone;

import io.egress.api.ApiApp;
import io.egress.dispatcher.DispatcherApp;
import io.egress.settings.Settings;
import io.egress.standalone.run.RunningProcess;
import io.vertx.core.Vertx;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** One role against real backends: what the container images run. */
final class RoleCommands {
  private RoleCommands() {}

  @Command(
      name = "api",
      description = "Runs the api role: pull, completion hook, administration, sweep.")
  static final class Api implements Callable<Integer> {
    @Override
    public Integer call() {
      Settings settings = Settings.from(System.getenv());
      RunningProcess process = RunningProcess.begin();
      Vertx vertx = Vertx.vertx();
      process.pushAsync("Vert.x", vertx::close);
      ApiApp app = RunningProcess.await(ApiApp.start(vertx, settings));
      process.pushAsync("the api", app::close);
      process.waitForStop();
      return 0;
    }
  }

  @Command(
      name = "dispatcher",
      description = "Runs the dispatcher role: fan-out, delivery and retries.")
  static final class Dispatcher implements Callable<Integer> {
    @Override
    public Integer call() {
      Settings settings = Settings.from(System.getenv());
      RunningProcess process = RunningProcess.begin();
      Vertx vertx = Vertx.vertx();
      process.pushAsync("Vert.x", vertx::close);
      DispatcherApp app = RunningProcess.await(DispatcherApp.start(vertx, settings));
      process.pushAsync("the dispatcher", app::close);
      process.waitForStop();
      return 0;
    }
  }
}
