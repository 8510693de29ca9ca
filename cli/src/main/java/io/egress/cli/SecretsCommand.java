package io.egress.cli;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code egress secrets}: the keys of EGRESS_SECRET_KEY. */
@Command(
    name = "secrets",
    description = {
      "Shows which keys of EGRESS_SECRET_KEY are in use, and encrypts all signing secrets "
          + "with the first one.",
      InternalApiOptions.WHICH_TOKEN
    })
final class SecretsCommand {
  private static final List<String> FIELDS = List.of("id", "secrets", "current", "known");
  private static final Columns COLUMNS = new Columns(FIELDS, Set.of(), FIELDS);

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Command(
      name = "list",
      description = "Lists the keys in use. Others can be removed.",
      footer = {"", "Before a key is removed from EGRESS_SECRET_KEY:", "  egress secrets list"})
  int list(@Mixin TableOutput output) {
    return output.table(
        internal.api().call("GET", "/secret-keys", new JsonObject()), "secret_keys", COLUMNS);
  }

  @Command(
      name = "reseal",
      description = "Encrypts all signing secrets with the first key of EGRESS_SECRET_KEY.",
      footer = {"", "After a new key was put in front of the others:", "  egress secrets reseal"})
  int reseal(@Mixin TableOutput output) {
    return output.table(
        internal.api().call("POST", "/secret-keys/reseal", new JsonObject()),
        "secret_keys",
        COLUMNS);
  }
}
