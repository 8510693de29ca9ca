package io.egress.standalone;

import io.egress.api.ApiMain;
import io.egress.dispatcher.DispatcherMain;
import io.egress.dispatcher.RebuildMain;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** The commands of the container images, for real backends. */
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
        "Publishes everything that is owed and not finished to Kafka again, from",
        "PostgreSQL alone, after Kafka has lost topics or records. Creates missing",
        "topics. Uses the dispatcher's settings. Stop the dispatchers first, and start",
        "them afterwards. Running it again sends nothing twice."
      },
      exitCodeListHeading = "%nExit status:%n",
      exitCodeList = {
        "0:Everything is published.",
        "1:PostgreSQL or Kafka did not answer, or returned an error; run it again.",
        "2:A setting is invalid."
      })
  static final class RebuildQueue implements Callable<Integer> {
    @Override
    public Integer call() {
      return RebuildMain.run();
    }
  }
}
