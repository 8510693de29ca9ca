package io.egress.cli;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code egress readers}. */
@Command(
    name = "readers",
    description = {
      "Shows how far the API keys of a workspace, and the endpoints that are sent its stream, have come.",
      InternalApiOptions.WHICH_TOKEN
    })
final class ReadersCommand {
  private static final Columns COLUMNS =
      new Columns(
          List.of("name", "last_four", "feed", "state", "behind", "oldest_at", "last_used_at"),
          Set.of("name"),
          List.of(
              "key_id",
              "endpoint_id",
              "name",
              "last_four",
              "feed",
              "state",
              "position",
              "behind",
              "oldest_at",
              "last_used_at",
              "expect_within",
              "stopped_at"));

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Command(
      name = "list",
      description = {
        "Lists each key with both feeds: reading, at the end, stopped for more than an hour (or for as long as it is"
            + " expected to pull), or never read; and each endpoint that is sent the stream itself.",
        "Exit status 1 if one has stopped, and there is something new for it."
      },
      footer = {"", "Who has stopped reading:", "  egress readers list WORKSPACE"})
  int list(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Mixin Watch watch,
      @Mixin TableOutput output) {
    InternalApi api = internal.api();
    return watch.repeat(
        output,
        () -> {
          JsonArray readers =
              new Listing("/workspaces/" + workspace + "/readers").all(api, "readers");
          JsonArray rows = rows(readers);
          output.table(new JsonObject().put("readers", readers), rows, COLUMNS);
          return rows.stream().anyMatch(ReadersCommand::hasStopped) ? 1 : 0;
        });
  }

  private static boolean hasStopped(Object row) {
    return ((JsonObject) row).getString("state").equals("stopped");
  }

  /** A row for each feed. */
  private static JsonArray rows(JsonArray readers) {
    JsonArray rows = new JsonArray();
    for (Object each : readers) {
      JsonObject reader = (JsonObject) each;
      for (String feed : List.of("captures", "changes")) {
        JsonObject place = reader.getJsonObject(feed);
        if (place == null) {
          continue;
        }
        rows.add(
            reader
                .copy()
                .put("feed", feed)
                .put("state", place.getString("state").replace('_', ' '))
                .put("position", place.getLong("position"))
                .put("behind", place.getLong("behind"))
                .put("oldest_at", place.getString("oldest_at")));
      }
    }
    return rows;
  }
}
