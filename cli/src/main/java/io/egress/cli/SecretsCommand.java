package io.egress.cli;

import io.vertx.core.json.JsonObject;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code egress secrets}: the keys of EGRESS_SECRET_KEY. */
@Command(
    name = "secrets",
    description = {
      "Shows which keys of EGRESS_SECRET_KEY are in use, and encrypts all signing secrets "
          + "with the first one.",
      "The token is EGRESS_INTERNAL_TOKEN, or the one stored in EGRESS_DATA_DIR."
    })
final class SecretsCommand {
  private static final List<String> COLUMNS = List.of("id", "secrets", "current", "known");

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Command(name = "list", description = "Lists the keys in use. Others can be removed.")
  int list(@Mixin Output output) {
    return output.table(
        internal.api().call("GET", "/secret-keys", new JsonObject()), "secret_keys", COLUMNS);
  }

  @Command(
      name = "reseal",
      description = "Encrypts all signing secrets with the first key of EGRESS_SECRET_KEY.")
  int reseal(@Mixin Output output) {
    return output.table(
        internal.api().call("POST", "/secret-keys/reseal", new JsonObject()),
        "secret_keys",
        COLUMNS);
  }
}
