package io.egress.cli;

import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code egress rebuild-queue}: what is owed is published to Kafka again. */
@Command(
    name = "rebuild-queue",
    description = {
      "Publishes to Kafka again what is owed and not finished. The service does this by "
          + "itself when Kafka has lost topics, records or offsets. Dispatchers do it while they "
          + "work; nothing is accepted twice because of it. Waits until all that is due was "
          + "published; retries follow when they are due.",
      InternalApiOptions.WHICH_TOKEN
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:All that is due was published, or the rebuild was requested with --no-wait.",
      "1:The internal API did not answer, or returned an error."
    },
    footer = {"", "After topics were deleted by hand:", "  egress rebuild-queue"})
final class RebuildQueueCommand implements Callable<Integer> {
  private static final Duration PERIOD = Duration.ofMillis(500);
  private static final int LOOKS_PER_LINE = 10;

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Option(names = "--no-wait", description = "only request it")
  private boolean noWait;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    InternalApi api = internal.api();
    JsonObject requested = api.call("POST", "/queue/rebuild", new JsonObject());
    long id = requested.getJsonObject("rebuild").getLong("id");
    JsonObject queue = requested;
    for (int looks = 1; !noWait && isGoingOn(queue, id); looks++) {
      if (!output.isJson() && looks % LOOKS_PER_LINE == 0) {
        output.line(queue, line(queue));
      }
      LockSupport.parkNanos(PERIOD.toNanos());
      queue = api.call("GET", "/queue", new JsonObject());
    }
    return output.line(queue, line(queue));
  }

  /** A later rebuild contains the rest of this one. */
  private static boolean isGoingOn(JsonObject queue, long id) {
    JsonObject rebuild = queue.getJsonObject("rebuild");
    String state = rebuild.getString("state");
    return rebuild.getLong("id") < id || state.equals("requested") || state.equals("running");
  }

  private static String line(JsonObject queue) {
    JsonObject rebuild = queue.getJsonObject("rebuild");
    String state = rebuild.getString("state");
    String published = "published " + rebuild.getLong("published") + " deliveries";
    return switch (state) {
      case "requested" -> "requested; no dispatcher has begun";
      case "waiting" ->
          published
              + "; retries follow when they are due, the next one at "
              + rebuild.getString("next_due_at");
      case "finished" -> published + "; finished";
      default -> published + " so far";
    };
  }
}
