package io.egress.cli;

import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code egress keys}. */
@Command(
    name = "keys",
    description = {
      "Creates, lists and deletes API keys.",
      "The token is EGRESS_INTERNAL_TOKEN, or the one stored in EGRESS_DATA_DIR."
    })
final class KeysCommand {
  private static final String DEFAULT_NAME = "terminal";
  private static final List<String> COLUMNS =
      List.of("name", "last_four", "created_at", "created_by", "last_used_at", "expires_at", "id");

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Command(name = "create", description = "Creates a key and prints it. It is shown only once.")
  int create(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Option(names = "--name", defaultValue = DEFAULT_NAME) String name,
      @Option(
              names = "--expires-in",
              paramLabel = "DURATION",
              description = "expire after this time, such as 90d (default: never)")
          @Nullable String expiresIn,
      @Option(names = "--json", description = "print JSON") boolean json) {
    JsonObject key = new JsonObject().put("name", name);
    if (expiresIn != null) {
      key.put("expires_in", expiresIn);
    }
    JsonObject created = internal.api().call("POST", path(workspace), key);
    System.out.println(json ? created.encodePrettily() : created.getString("key"));
    return 0;
  }

  @Command(name = "list", description = "Lists a workspace's keys.")
  int list(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Option(names = "--json", description = "print JSON") boolean json) {
    JsonObject keys = internal.api().call("GET", path(workspace), new JsonObject());
    System.out.print(
        json ? keys.encodePrettily() + "\n" : TextTable.of(COLUMNS, keys.getJsonArray("api_keys")));
    return 0;
  }

  @Command(name = "delete", description = "Deletes a key; it is rejected from the next request on.")
  int delete(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "KEY-ID") UUID id) {
    internal.api().call("DELETE", path(workspace) + "/" + id, new JsonObject());
    return 0;
  }

  private static String path(UUID workspace) {
    return "/workspaces/" + workspace + "/api-keys";
  }
}
