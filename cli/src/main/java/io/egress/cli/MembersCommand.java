package io.egress.cli;

import io.vertx.core.json.JsonObject;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code egress members}. */
@Command(
    name = "members",
    description = {"Erases members' names and emails.", InternalApiOptions.WHICH_TOKEN})
final class MembersCommand {
  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Command(
      name = "erase",
      description = "Erases a member; captures show the speaker's label instead of the name.",
      footer = {"", "A member who has left:", "  egress members erase WORKSPACE MEMBER-ID"})
  int erase(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "MEMBER-ID") UUID id,
      @Mixin Output output) {
    JsonObject erased =
        internal
            .api()
            .call("DELETE", "/workspaces/" + workspace + "/members/" + id, new JsonObject());
    return output.line(
        erased, "Erased; was named in %d captures".formatted(erased.getInteger("captures")));
  }
}
