package io.egress.standalone;

import io.egress.standalone.run.InternalApi;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** API keys from a terminal. */
@Command(
    name = "keys",
    description = {
      "Mints, lists and deletes API keys through the internal API.",
      "The token is EGRESS_INTERNAL_TOKEN, or the one kept in EGRESS_DATA_DIR."
    })
final class KeysCommand {
  private static final String DEFAULT_NAME = "terminal";

  @Option(names = "--host", defaultValue = "127.0.0.1", description = "internal listener's host")
  private String host = "127.0.0.1";

  @Option(names = "--port", defaultValue = "8081", description = "internal listener's port")
  private int port;

  @Command(name = "create", description = "Mints a key and prints it, this one time.")
  int create(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Option(names = "--name", defaultValue = DEFAULT_NAME) String name) {
    JsonObject minted = api().call("POST", path(workspace), new JsonObject().put("name", name));
    System.out.println(minted.getString("key"));
    return 0;
  }

  @Command(name = "list", description = "Lists a workspace's keys.")
  int list(@Parameters(paramLabel = "WORKSPACE") UUID workspace) {
    System.out.println(api().call("GET", path(workspace), new JsonObject()).encodePrettily());
    return 0;
  }

  @Command(name = "delete", description = "Deletes a key; it is refused from the next request on.")
  int delete(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "KEY-ID") UUID id) {
    api().call("DELETE", path(workspace) + "/" + id, new JsonObject());
    return 0;
  }

  private InternalApi api() {
    Map<String, String> environment = System.getenv();
    String token = environment.get("EGRESS_INTERNAL_TOKEN");
    if (token == null) {
      Path dataDir = Path.of(environment.getOrDefault("EGRESS_DATA_DIR", "./data"));
      token =
          KeptToken.existing(dataDir)
              .orElseThrow(
                  () ->
                      new IllegalStateException(
                          "set EGRESS_INTERNAL_TOKEN: none is kept in " + dataDir));
    }
    return new InternalApi(host, port, token);
  }

  private static String path(UUID workspace) {
    return "/workspaces/" + workspace + "/api-keys";
  }
}
