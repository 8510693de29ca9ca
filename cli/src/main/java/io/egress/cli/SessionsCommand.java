package io.egress.cli;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code egress sessions}. */
@Command(
    name = "sessions",
    description = {
      "Lists and ends the sessions on the pages of a workspace, or those of operators.",
      InternalApiOptions.WHICH_TOKEN
    })
final class SessionsCommand {
  private static final String WHOSE = "without it, those of operators";
  private static final Columns COLUMNS =
      new Columns(
          List.of("actor", "role", "remote_address", "last_used_at"),
          Set.of("actor"),
          List.of("actor", "role", "remote_address", "created_at", "last_used_at", "expires_at"));

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Command(
      name = "list",
      description = "Lists who is on the pages of a workspace, newest first.",
      footer = {"", "Who is on the pages of operators:", "  egress sessions list"})
  int list(
      @Parameters(paramLabel = "WORKSPACE", arity = "0..1", description = WHOSE)
          @Nullable UUID workspace,
      @Mixin TableOutput output) {
    JsonObject answer = internal.api().call("GET", path(workspace), new JsonObject());
    return output.table(answer, answer.getJsonArray("portal_sessions"), COLUMNS);
  }

  @Command(
      name = "end",
      description = "Ends sessions, and links that were not opened yet.",
      footer = {
        "",
        "Somebody who has left the customer:",
        "  egress sessions end WORKSPACE --of ada@example.com"
      })
  int end(
      @Parameters(paramLabel = "WORKSPACE", arity = "0..1", description = WHOSE)
          @Nullable UUID workspace,
      @Option(names = "--of", paramLabel = "NAME", description = "only those of this person")
          @Nullable String of,
      @Mixin Output output) {
    String call = new Listing(path(workspace)).only("actor", of).call();
    JsonObject ended = internal.api().call("DELETE", call, new JsonObject());
    return output.line(
        ended,
        "Ended %s and %s"
            .formatted(
                counted(ended.getInteger("sessions"), "session"),
                counted(ended.getInteger("links"), "link")));
  }

  private static String counted(int count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

  private static String path(@Nullable UUID workspace) {
    return workspace == null ? "/portal-sessions" : "/workspaces/" + workspace + "/portal-sessions";
  }
}
