package io.egress.cli;

import io.vertx.core.json.JsonObject;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code egress portal}. */
@Command(
    name = "portal",
    description = {
      "Prints a link to the settings page of a workspace, or, for an operator, to the pages of all "
          + "workspaces. It opens the page once, within five minutes, as the person that --actor names.",
      InternalApiOptions.WHICH_TOKEN
    },
    footer = {
      "",
      "A read-only link:",
      "  egress portal WORKSPACE --role view --actor ada@example.com",
      "All workspaces:",
      "  egress portal --role operator"
    })
final class PortalCommand implements Callable<Integer> {
  private static final String OPERATOR = "operator";

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "WORKSPACE", arity = "0..1")
  private @Nullable UUID workspace;

  @Option(
      names = "--role",
      defaultValue = "admin",
      description =
          "admin; view to change nothing; operator, without a workspace, for all of them (${DEFAULT-VALUE})")
  private String role = "admin";

  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    JsonObject link =
        internal
            .api()
            .call(
                "POST", path(), new JsonObject().put("role", role).put("actor", internal.actor()));
    return output.line(link, link.getString("url"));
  }

  private String path() {
    if (role.equals(OPERATOR)) {
      if (workspace != null) {
        throw wrong("An operator's link is of no workspace: leave WORKSPACE out");
      }
      return "/portal-links";
    }
    if (workspace == null) {
      throw wrong("Missing required parameter: 'WORKSPACE', unless --role is operator");
    }
    return "/workspaces/" + workspace + "/portal-links";
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
