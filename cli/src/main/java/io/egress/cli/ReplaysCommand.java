package io.egress.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code egress replays}. */
@Command(
    name = "replays",
    description = {
      "Sends captures to an endpoint again: part of the stream, or what it missed.",
      "The token is EGRESS_INTERNAL_TOKEN, or the one stored in EGRESS_DATA_DIR."
    },
    footer = {
      "",
      "After an outage, everything that was exhausted or skipped:",
      "  egress replays start WORKSPACE ENDPOINT-ID --failed --wait",
      "Everything since yesterday, delivered or not:",
      "  egress replays start WORKSPACE ENDPOINT-ID --from yesterday",
      "One delivery only: egress deliveries redeliver WORKSPACE DELIVERY-ID"
    })
final class ReplaysCommand {
  private static final List<String> COLUMNS =
      List.of(
          "created_at",
          "origin",
          "only",
          "state",
          "from_position",
          "next_position",
          "to_position",
          "published",
          "delivered",
          "pending",
          "exhausted",
          "skipped",
          "id");
  private static final List<String> STARTED =
      List.of("endpoint_id", "state", "from_position", "to_position", "id");
  private static final Duration LOOK_PERIOD = Duration.ofMillis(500);

  @Mixin private InternalApiOptions internal = new InternalApiOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  /** The captures to send again. */
  static final class Part {
    @Option(
        names = "--failed",
        description = "only captures whose latest delivery was exhausted or skipped")
    private boolean failed;

    @Option(
        names = "--from",
        paramLabel = "TIME",
        description = "captures that entered the stream at or after this time: " + Instants.FORMS)
    private @Nullable Instant from;

    @Option(
        names = "--from-position",
        paramLabel = "N",
        description = "captures from this position of the stream on")
    private @Nullable Long fromPosition;

    @Option(
        names = "--to",
        paramLabel = "TIME",
        description = "captures that entered the stream before this time")
    private @Nullable Instant to;

    @Option(
        names = "--to-position",
        paramLabel = "N",
        description = "captures up to this position of the stream")
    private @Nullable Long toPosition;

    /** Sending everything again has to be asked for. */
    private boolean isUnbounded() {
      return !failed && from == null && fromPosition == null;
    }

    private JsonObject body() {
      return new JsonObject()
          .put("from", from == null ? null : from.toString())
          .put("from_position", fromPosition)
          .put("to", to == null ? null : to.toString())
          .put("to_position", toPosition)
          .put("only", failed ? "undelivered" : null);
    }
  }

  @Command(
      name = "start",
      description =
          "Starts a replay. With --failed it begins at the start of the stream unless --from or "
              + "--from-position is given; without --failed one of them is required.")
  int start(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID endpoint,
      @Mixin Part part,
      @Option(
              names = "--wait",
              description =
                  "wait until every delivery has ended; exit status 1 if the replay was canceled, or"
                      + " unless all were delivered")
          boolean wait,
      @Mixin Output output) {
    if (part.isUnbounded()) {
      throw new ParameterException(spec.commandLine(), "give --failed, --from or --from-position");
    }
    InternalApi api = internal.api();
    JsonObject replay =
        api.call(
            "POST",
            "/workspaces/" + workspace + "/endpoints/" + endpoint + "/replays",
            part.body());
    String path = "/workspaces/" + workspace + "/replays/" + replay.getString("id");
    if (!wait) {
      return print(api.call("GET", path, new JsonObject()), output);
    }
    JsonObject ended = awaitEnd(api, path, output);
    JsonObject deliveries = ended.getJsonObject("deliveries");
    print(ended, output);
    if (ended.getString("state").equals("cancelled")) {
      output.note(
          "the replay was canceled; %d of its deliveries were not attempted or not retried"
              .formatted(deliveries.getLong("skipped")));
      return 1;
    }
    return deliveries.getLong("exhausted") + deliveries.getLong("skipped") == 0 ? 0 : 1;
  }

  @Command(
      name = "start-all",
      description =
          "Sends everything that was exhausted or skipped again, to every endpoint of the workspace"
              + " that is not paused.")
  int startForAll(@Parameters(paramLabel = "WORKSPACE") UUID workspace, @Mixin Output output) {
    JsonObject started =
        internal
            .api()
            .call(
                "POST",
                "/workspaces/" + workspace + "/replays",
                new JsonObject().put("only", "undelivered"));
    return output.table(started, "replays", STARTED);
  }

  private static JsonObject awaitEnd(InternalApi api, String path, Output output) {
    String printed = "";
    while (true) {
      JsonObject replay = api.call("GET", path, new JsonObject());
      JsonObject deliveries = replay.getJsonObject("deliveries");
      String progress =
          "%s published: %s delivered, %s given up, %s skipped, %s waiting"
              .formatted(
                  replay.getLong("published"),
                  deliveries.getLong("delivered"),
                  deliveries.getLong("exhausted"),
                  deliveries.getLong("skipped"),
                  deliveries.getLong("pending"));
      if (!output.isJson() && !progress.equals(printed)) {
        output.note(progress);
        printed = progress;
      }
      if (!replay.getString("state").equals("running") && deliveries.getLong("pending") == 0) {
        return replay;
      }
      LockSupport.parkNanos(LOOK_PERIOD.toNanos());
    }
  }

  @Command(
      name = "list",
      description = "Lists the replays, redeliveries and full history of an endpoint.")
  int list(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID endpoint,
      @Mixin Output output) {
    JsonObject page =
        internal
            .api()
            .call(
                "GET",
                "/workspaces/" + workspace + "/endpoints/" + endpoint + "/replays?limit=100",
                new JsonObject());
    return output.table(page, flat(page.getJsonArray("replays")), COLUMNS);
  }

  @Command(name = "show", description = "Shows a replay and the outcomes of its deliveries.")
  int show(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "REPLAY-ID") UUID id,
      @Mixin Output output) {
    return print(
        internal.api().call("GET", "/workspaces/" + workspace + "/replays/" + id, new JsonObject()),
        output);
  }

  @Command(
      name = "cancel",
      description = "Cancels a replay. What has not been attempted yet is skipped.")
  int cancel(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "REPLAY-ID") UUID id) {
    internal.api().call("DELETE", "/workspaces/" + workspace + "/replays/" + id, new JsonObject());
    return Output.line(
        spec, "Canceled the replay " + id + "; what was not attempted yet is skipped.");
  }

  private static int print(JsonObject replay, Output output) {
    return output.print(replay, out -> out.print(TextTable.fields(flat(replay))));
  }

  private static JsonArray flat(JsonArray replays) {
    JsonArray rows = new JsonArray();
    replays.forEach(each -> rows.add(flat((JsonObject) each)));
    return rows;
  }

  /** With the numbers of deliveries by state, which a full history does not have. */
  private static JsonObject flat(JsonObject replay) {
    JsonObject flat = replay.copy();
    JsonObject deliveries = (JsonObject) flat.remove("deliveries");
    return deliveries == null ? flat : flat.mergeIn(deliveries);
  }
}
