package io.egress.cli;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code egress verify}: the proof that nothing was lost. */
@Command(
    name = "verify",
    description = {
      "Accounts for every capture of a workspace's stream at each endpoint. A capture "
          + "counts as delivered if any of its deliveries was, and as erased if none was before it was "
          + "erased. It is missing if the log has no "
          + "delivery and none is on its way, which must never happen; the service publishes it "
          + "again by itself. A replay with --failed sends replayable ones.",
      InternalApiOptions.WHICH_TOKEN
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Everything is delivered or on its way.",
      "1:The internal API did not answer, or returned an error.",
      "3:Some captures were exhausted or skipped, and not delivered since.",
      "4:Some captures, or deliveries of replays, are missing."
    },
    footer = {"", "All endpoints of a workspace:", "  egress verify WORKSPACE"})
final class VerifyCommand implements Callable<Integer> {
  private static final int UNDELIVERED = 3;
  private static final int MISSING = 4;
  private static final List<String> COUNTS =
      List.of(
          "delivered",
          "pending",
          "exhausted",
          "skipped",
          "erased",
          "missing",
          "missing_replays",
          "forgotten",
          "replayable");
  private static final List<String> WORST_FIRST =
      List.of(
          "missing",
          "missing_replays",
          "exhausted",
          "skipped",
          "pending",
          "forgotten",
          "erased",
          "delivered");
  private static final Columns COLUMNS =
      new Columns(
          List.of("endpoint", "captures", "replayable", "endpoint_id"),
          Set.of("endpoint", "captures"),
          VerifyCommand::summed,
          Stream.concat(COUNTS.stream(), Stream.of("endpoint_id", "description", "url")).toList());

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Parameters(paramLabel = "WORKSPACE")
  private UUID workspace = new UUID(0, 0);

  @Option(names = "--endpoint", paramLabel = "ID", description = "only this one")
  private @Nullable UUID endpoint;

  @Mixin private TableOutput output = new TableOutput();

  @Override
  public Integer call() {
    InternalApi api = internal.api();
    String path = "/workspaces/" + workspace + "/endpoints";
    JsonArray endpoints =
        endpoint == null
            ? EndpointsCommand.all(api, workspace)
            : new JsonArray().add(api.call("GET", path + "/" + endpoint, new JsonObject()));
    JsonArray verified = new JsonArray();
    JsonArray rows = new JsonArray();
    for (Object each : endpoints) {
      JsonObject listed = (JsonObject) each;
      JsonObject sums = verify(api, path, listed);
      verified.add(sums);
      rows.add(sums.copy().put("description", listed.getString("description")));
    }
    output.table(new JsonObject().put("endpoints", verified), rows, COLUMNS);
    return status(verified);
  }

  private static JsonObject summed(JsonObject sums) {
    return sums.put(
            "endpoint", EndpointText.name(sums.getString("description"), sums.getString("url")))
        .put("captures", EndpointText.counts(sums, WORST_FIRST));
  }

  private static JsonObject verify(InternalApi api, String path, JsonObject endpoint) {
    String id = endpoint.getString("id");
    JsonObject sums = new JsonObject().put("endpoint_id", id).put("url", endpoint.getString("url"));
    COUNTS.forEach(count -> sums.put(count, 0L));
    JsonArray missing = new JsonArray();
    Long from = 1L;
    while (from != null) {
      JsonObject part =
          api.call(
              "GET", path + "/" + id + "/verification?from_position=" + from, new JsonObject());
      COUNTS.forEach(count -> sums.put(count, sums.getLong(count) + part.getLong(count)));
      missing.addAll(part.getJsonArray("missing_capture_ids"));
      from = part.getLong("next_position");
    }
    return sums.put("missing_capture_ids", missing);
  }

  private static int status(JsonArray verified) {
    int status = 0;
    for (Object each : verified) {
      JsonObject sums = (JsonObject) each;
      if (sums.getLong("missing") + sums.getLong("missing_replays") > 0) {
        return MISSING;
      }
      if (sums.getLong("exhausted") + sums.getLong("skipped") > 0) {
        status = UNDELIVERED;
      }
    }
    return status;
  }
}
