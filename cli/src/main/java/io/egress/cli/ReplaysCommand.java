package io.egress.cli;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
      InternalApiOptions.WHICH_TOKEN
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
  private static final List<String> STATES =
      List.of("exhausted", "skipped", "pending", "delivered");
  private static final Columns COLUMNS =
      new Columns(
          List.of("created_at", "origin", "state", "deliveries", "id"),
          Set.of("origin", "deliveries"),
          ReplaysCommand::summed,
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
              "id"));
  private static final Columns STARTED =
      new Columns(
          List.of("endpoint", "state", "from_position", "to_position", "id"),
          Set.of("endpoint"),
          List.of("endpoint_id", "endpoint", "state", "from_position", "to_position", "id"));
  private static final Duration LOOK_PERIOD = Duration.ofMillis(500);

  @Mixin private InternalApiOptions internal = new InternalApiOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  /** The captures to send again. */
  static final class Part {
    @Option(
        names = "--failed",
        description =
            "only captures of which no delivery was delivered or is pending, and one was exhausted"
                + " or skipped")
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

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    /** Sending everything again has to be asked for. */
    private void requireBounds() {
      if (!failed && from == null && fromPosition == null) {
        throw new ParameterException(
            command.commandLine(), "give --failed, --from or --from-position");
      }
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
              + "--from-position is given; without --failed one of them is required.",
      footer = {
        "",
        "After an outage, everything that was exhausted or skipped:",
        "  egress replays start WORKSPACE ENDPOINT-ID --failed --wait"
      })
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
    part.requireBounds();
    InternalApi api = internal.api();
    JsonObject replay =
        api.call(
            "POST",
            "/workspaces/" + workspace + "/endpoints/" + endpoint + "/replays",
            part.body());
    String path = "/workspaces/" + workspace + "/replays/" + replay.getString("id");
    if (!wait) {
      JsonObject started = api.call("GET", path, new JsonObject());
      if (waitsForEndpoint(started)) {
        output.note(paused(workspace, endpoint));
      }
      return print(started, output);
    }
    JsonObject ended = awaitEnd(api, path, paused(workspace, endpoint), output);
    print(ended, output);
    return result(ended, output);
  }

  private static int result(JsonObject ended, Output output) {
    JsonObject deliveries = ended.getJsonObject("deliveries");
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
              + " that is not paused; of all captures, or of those of a time.",
      footer = {"", "After an outage of this side:", "  egress replays start-all WORKSPACE"})
  int startForAll(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Option(
              names = "--from",
              paramLabel = "TIME",
              description =
                  "only captures that entered the stream at or after this time: " + Instants.FORMS)
          @Nullable Instant from,
      @Option(
              names = "--to",
              paramLabel = "TIME",
              description = "only captures that entered the stream before this time")
          @Nullable Instant to,
      @Mixin TableOutput output) {
    InternalApi api = internal.api();
    Map<String, String> names = names(api, workspace);
    JsonObject started =
        api.call(
            "POST",
            "/workspaces/" + workspace + "/replays",
            new JsonObject().put("only", "undelivered").put("from", from).put("to", to));
    JsonArray rows = new JsonArray();
    for (Object each : started.getJsonArray("replays")) {
      JsonObject replay = ((JsonObject) each).copy();
      rows.add(replay.put("endpoint", names.get(replay.getString("endpoint_id"))));
    }
    return output.table(started, rows, STARTED);
  }

  /** The names of the endpoints, keyed by their ids. */
  private static Map<String, String> names(InternalApi api, UUID workspace) {
    Map<String, String> names = new HashMap<>();
    for (Object each : EndpointsCommand.all(api, workspace)) {
      JsonObject endpoint = (JsonObject) each;
      names.put(
          endpoint.getString("id"),
          EndpointText.name(endpoint.getString("description"), endpoint.getString("url")));
    }
    return names;
  }

  /** Services of 1.0.0 do not say it. */
  private static boolean waitsForEndpoint(JsonObject replay) {
    return replay.getString("state").equals("running")
        && replay.getBoolean("endpoint_paused", false);
  }

  private static String paused(UUID workspace, UUID endpoint) {
    return "the endpoint is paused; this lets the replay go on: egress endpoints resume %s %s"
        .formatted(workspace, endpoint);
  }

  private static String progress(JsonObject replay, JsonObject deliveries) {
    return "%s published: %s delivered, %s given up, %s skipped, %s waiting"
        .formatted(
            replay.getLong("published"),
            deliveries.getLong("delivered"),
            deliveries.getLong("exhausted"),
            deliveries.getLong("skipped"),
            deliveries.getLong("pending"));
  }

  private static JsonObject awaitEnd(InternalApi api, String path, String paused, Output output) {
    String printed = "";
    while (true) {
      JsonObject replay = api.call("GET", path, new JsonObject());
      JsonObject deliveries = replay.getJsonObject("deliveries");
      String progress = waitsForEndpoint(replay) ? paused : progress(replay, deliveries);
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
      description = "Lists the replays, redeliveries and full history of an endpoint.",
      footer = {
        "",
        "How far the replays to an endpoint are:",
        "  egress replays list WORKSPACE ENDPOINT-ID --watch"
      })
  int list(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID endpoint,
      @Mixin Watch watch,
      @Mixin TableOutput output) {
    InternalApi api = internal.api();
    String path = "/workspaces/" + workspace + "/endpoints/" + endpoint + "/replays?limit=100";
    return watch.repeat(
        output,
        () -> {
          JsonObject page = api.call("GET", path, new JsonObject());
          return output.table(page, flat(page.getJsonArray("replays")), COLUMNS);
        });
  }

  /** A full history has no deliveries by state. */
  private static JsonObject summed(JsonObject replay) {
    String only = replay.getString("only");
    return replay
        .put("origin", only == null ? replay.getString("origin") : "replay of " + only)
        .put(
            "deliveries",
            replay.containsKey("delivered")
                ? EndpointText.counts(replay, STATES)
                : replay.getValue("published") + " published");
  }

  @Command(
      name = "show",
      description = "Shows a replay and the outcomes of its deliveries.",
      footer = {"", "How far one replay is:", "  egress replays show WORKSPACE REPLAY-ID"})
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
      description = "Cancels a replay. What has not been attempted yet is skipped.",
      footer = {
        "",
        "One that was started by mistake:",
        "  egress replays cancel WORKSPACE REPLAY-ID"
      })
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

  /** For people, with the numbers of deliveries by state, which a full history does not have. */
  private static JsonObject flat(JsonObject replay) {
    JsonObject flat = replay.copy();
    if (waitsForEndpoint(replay)) {
      flat.put("state", "waiting");
    }
    JsonObject deliveries = (JsonObject) flat.remove("deliveries");
    return deliveries == null ? flat : flat.mergeIn(deliveries);
  }
}
