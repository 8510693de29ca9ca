package io.egress.cli;

import io.vertx.core.json.JsonObject;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code egress portal}. */
@Command(
    name = "portal",
    description = {
      "Prints a link to the settings page of a workspace. It opens the page once, within "
          + "five minutes, as the person that --actor names.",
      "The token is EGRESS_INTERNAL_TOKEN, or the one stored in EGRESS_DATA_DIR."
    },
    footer = {
      "",
      "A read-only link:",
      "  egress portal WORKSPACE --role view --actor ada@example.com"
    })
final class PortalCommand implements Callable<Integer> {
  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Parameters(paramLabel = "WORKSPACE")
  private UUID workspace = new UUID(0, 0);

  @Option(
      names = "--role",
      defaultValue = "admin",
      description = "admin, or view to change nothing (${DEFAULT-VALUE})")
  private String role = "admin";

  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    JsonObject link =
        internal
            .api()
            .call(
                "POST",
                "/workspaces/" + workspace + "/portal-links",
                new JsonObject().put("role", role).put("actor", internal.actor()));
    return output.line(link, link.getString("url"));
  }
}
