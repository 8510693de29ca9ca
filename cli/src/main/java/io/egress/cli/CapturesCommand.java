package io.egress.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.List;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code egress captures}. */
@Command(
    name = "captures",
    description = {
      "Finds and erases captures, in whatever workspace they are.",
      "The token is EGRESS_INTERNAL_TOKEN, or the one stored in EGRESS_DATA_DIR."
    })
final class CapturesCommand {
  private static final List<String> COLUMNS =
      List.of("endpoint_id", "state", "attempts", "last_outcome", "origin", "id", "url");

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Command(
      name = "find",
      description =
          "Shows whose a capture is, its position in the stream, and what became of it at each"
              + " endpoint. Exit status 1 if there is none.")
  int find(@Parameters(paramLabel = "CAPTURE-ID") UUID id, @Mixin Output output) {
    JsonObject capture = internal.api().call("GET", "/captures/" + id, new JsonObject());
    return output.print(capture, out -> print(capture.copy(), out));
  }

  private static void print(JsonObject capture, PrintWriter out) {
    JsonArray endpoints = (JsonArray) capture.remove("endpoints");
    out.println(TextTable.fields(capture.put("state", explained(capture.getString("state")))));
    out.print(
        endpoints.isEmpty()
            ? "The workspace has no endpoints.\n"
            : TextTable.of(COLUMNS, rows(endpoints)));
  }

  @Command(
      name = "erase",
      description = {
        "Erases what a capture says, for good.",
        "Readers of the stream learn of it, and of the reason, from GET /api/v1/erasures."
      })
  int erase(
      @Parameters(paramLabel = "CAPTURE-ID") UUID id,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              required = true,
              description = "why, for readers and the audit log")
          String reason,
      @Mixin Output output) {
    JsonObject erased =
        internal.api().call("DELETE", "/captures/" + id, new JsonObject().put("reason", reason));
    return output.line(erased, "Erased at " + erased.getString("erased_at"));
  }

  private static String explained(String state) {
    return switch (state) {
      case "in_stream" -> "in the stream";
      case "erased" -> "erased: it keeps its position, and is left out of pages";
      case "entering" -> "acknowledged; enters the stream in a moment";
      case "without_segments" -> "not in the stream: it has no segments, so it is not finished";
      default -> state;
    };
  }

  private static JsonArray rows(JsonArray endpoints) {
    JsonArray rows = new JsonArray();
    for (Object each : endpoints) {
      JsonObject endpoint = (JsonObject) each;
      JsonArray deliveries = endpoint.getJsonArray("deliveries");
      if (deliveries.isEmpty()) {
        rows.add(endpoint.copy().put("state", "not owed"));
      }
      deliveries.forEach(delivery -> rows.add(endpoint.copy().mergeIn((JsonObject) delivery)));
    }
    return rows;
  }
}
