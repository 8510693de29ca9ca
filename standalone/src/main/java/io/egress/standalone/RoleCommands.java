package io.egress.standalone;

import io.egress.api.ApiMain;
import io.egress.dispatcher.DispatcherMain;
import io.egress.dispatcher.RebuildMain;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** What the container images run, against real backends. */
final class RoleCommands {
  private RoleCommands() {}

  @Command(
      name = "api",
      description = "Runs the api role: pull, completion hook, administration, sweep.")
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

  @Command(
      name = "rebuild-queue",
      description = {
        "Publishes to Kafka again whatever is owed and not finished.",
        "Works from PostgreSQL alone, for a Kafka that has lost topics or records, and",
        "creates missing topics. Takes the dispatcher's settings. Stop the dispatchers",
        "before, and start them when it has ended. Repeating it sends nothing twice."
      },
      exitCodeListHeading = "%nExit status:%n",
      exitCodeList = {
        "0:Everything is published.",
        "1:PostgreSQL or Kafka does not answer, or refuses; repeat the command.",
        "2:A setting cannot be used."
      })
  static final class RebuildQueue implements Callable<Integer> {
    @Override
    public Integer call() {
      return RebuildMain.run();
    }
  }
}
