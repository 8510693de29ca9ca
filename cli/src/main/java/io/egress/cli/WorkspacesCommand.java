package io.egress.cli;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code egress workspaces}. */
@Command(
    name = "workspaces",
    description = {
      "Lists all workspaces: their captures, and how their endpoints do; changes how long they keep them, and ends them.",
      InternalApiOptions.WHICH_TOKEN
    },
    footer = {
      "",
      "The endpoints that are down, failing or paused, of all workspaces:",
      "  egress workspaces list --failing",
      "Erase captures after 90 days:",
      "  egress workspaces change WORKSPACE --retention 90d"
    })
final class WorkspacesCommand {
  private static final List<String> HEALTHS = List.of("down", "failing", "paused");
  private static final Columns COLUMNS =
      new Columns(
          List.of("id", "name", "endpoints", "undelivered", "pending"),
          Set.of("name", "endpoints"),
          WorkspacesCommand::summed,
          List.of(
              "id",
              "name",
              "captures",
              "captures_last_hour",
              "newest_at",
              "ended_at",
              "endpoints",
              "down",
              "failing",
              "paused",
              "pending",
              "undelivered",
              "effective_retention",
              "legal_hold"));
  private static final Columns PROBLEM_COLUMNS =
      new Columns(
          List.of("workspace_id", "endpoint_id", "health", "answer"),
          Set.of("answer"),
          problem -> problem.put("answer", EndpointText.answer(problem.getString("last_outcome"))),
          List.of(
              "workspace_id",
              "name",
              "endpoint_id",
              "health",
              "succeeded",
              "attempts",
              "last_outcome",
              "last_success_at",
              "undelivered",
              "description",
              "url"));

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Command(
      name = "show",
      description = "Shows a workspace: its name, and how long it keeps its captures.",
      footer = {
        "",
        "How long a workspace keeps its captures:",
        "  egress workspaces show WORKSPACE"
      })
  int show(@Parameters(paramLabel = "WORKSPACE") UUID workspace, @Mixin Output output) {
    return output.fields(internal.api().call("GET", "/workspaces/" + workspace, new JsonObject()));
  }

  @Command(
      name = "change",
      description =
          "Names a workspace, changes how long it keeps its captures and how many endpoints and keys it"
              + " may have, or puts it on legal hold, so that nothing of it is erased.",
      footer = {
        "",
        "Erase captures after 90 days:",
        "  egress workspaces change WORKSPACE --retention 90d"
      })
  int change(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Option(
              names = "--name",
              paramLabel = "NAME",
              description = "what people see; empty for none")
          @Nullable String name,
      @Option(
              names = "--retention",
              paramLabel = "DURATION",
              description = "such as 90d, or default for that of the service")
          @Nullable String retention,
      @Option(names = "--legal-hold", paramLabel = "true|false", arity = "1")
          @Nullable Boolean legalHold,
      @Option(
              names = "--max-endpoints",
              paramLabel = "COUNT",
              description = "how many it may have, or default")
          @Nullable String maxEndpoints,
      @Option(
              names = "--max-keys",
              paramLabel = "COUNT",
              description = "how many it may have, or default")
          @Nullable String maxKeys,
      @Mixin Output output) {
    JsonObject change = new JsonObject();
    if (name != null) {
      change.put("name", name.isBlank() ? null : name);
    }
    if (retention != null) {
      change.put("retention", retention.equals("default") ? null : retention);
    }
    if (legalHold != null) {
      change.put("legal_hold", legalHold);
    }
    if (maxEndpoints != null) {
      change.put("max_endpoints", countOrDefault(maxEndpoints));
    }
    if (maxKeys != null) {
      change.put("max_keys", countOrDefault(maxKeys));
    }
    return output.fields(internal.api().call("PATCH", "/workspaces/" + workspace, change));
  }

  /** What is no number is left to the service to refuse. */
  private static @Nullable Object countOrDefault(String given) {
    if (given.equals("default")) {
      return null;
    }
    return given.matches("\\d{1,9}") ? Integer.valueOf(given) : given;
  }

  @Command(
      name = "end",
      description = {
        "Ends a workspace for good: its keys are rejected, and its endpoints get nothing more.",
        "Its captures are erased in the background. Repeat it to see how far that is."
      },
      footer = {"", "A customer who has left:", "  egress workspaces end WORKSPACE"})
  int end(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Mixin Confirmation confirmation,
      @Mixin Output output) {
    confirmation.require(
        "End the workspace " + workspace + " for good, and erase everything in it?");
    return output.fields(
        internal.api().call("DELETE", "/workspaces/" + workspace, new JsonObject()));
  }

  @Command(
      name = "list",
      description =
          "Lists workspaces with the number of their captures and endpoints, the deliveries that are to"
              + " be retried or were not delivered, and how long they keep captures. With --failing, lists"
              + " the endpoints that are down, failing or paused, judged by their newest 20 attempts.",
      footer = {
        "",
        "The endpoints that are down, failing or paused, of all workspaces:",
        "  egress workspaces list --failing"
      })
  int list(
      @Option(names = "--failing", description = "list endpoints with problems instead")
          boolean failing,
      @Mixin Watch watch,
      @Mixin TableOutput output) {
    InternalApi api = internal.api();
    Listing listing = new Listing("/workspaces").only("only", failing ? "failing" : null);
    return watch.repeat(
        output,
        () -> {
          JsonArray found = listing.all(api, "workspaces");
          JsonObject answer = new JsonObject().put("workspaces", found);
          return failing
              ? output.table(answer, problems(found), PROBLEM_COLUMNS)
              : output.table(answer, counts(found), COLUMNS);
        });
  }

  private static JsonObject summed(JsonObject workspace) {
    String troubled = EndpointText.counts(workspace, HEALTHS);
    long endpoints = workspace.getLong("endpoints");
    if (workspace.getString("ended_at") != null) {
      workspace.put(
          "name", "(ended) " + Objects.requireNonNullElse(workspace.getString("name"), ""));
    }
    return workspace.put("endpoints", troubled.equals("-") ? endpoints : troubled);
  }

  private static JsonArray counts(JsonArray workspaces) {
    JsonArray counts = new JsonArray();
    for (Object each : workspaces) {
      JsonObject workspace = ((JsonObject) each).copy();
      JsonObject endpoints = workspace.getJsonObject("endpoints");
      counts.add(workspace.mergeIn(endpoints).put("endpoints", endpoints.getLong("all")));
    }
    return counts;
  }

  private static JsonArray problems(JsonArray workspaces) {
    JsonArray problems = new JsonArray();
    for (Object each : workspaces) {
      JsonObject workspace = (JsonObject) each;
      workspace
          .getJsonArray("problems")
          .forEach(problem ->
              problems.add(
                  ((JsonObject) problem)
                      .copy()
                      .put("workspace_id", workspace.getString("id"))
                      .put("name", workspace.getString("name"))));
    }
    return problems;
  }
}
