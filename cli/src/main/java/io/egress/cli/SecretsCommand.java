package io.egress.cli;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code egress secrets}: the keys of EGRESS_SECRET_KEY, and those that sign by Ed25519. */
@Command(
    name = "secrets",
    description = {
      "Shows which keys of EGRESS_SECRET_KEY are in use, and encrypts all signing secrets "
          + "with the first one; shows and rotates the service's key pair that signs by Ed25519.",
      "The token is EGRESS_INTERNAL_TOKEN, or the one stored in EGRESS_DATA_DIR."
    })
final class SecretsCommand {
  private static final List<String> FIELDS = List.of("id", "secrets", "current", "known");
  private static final Columns COLUMNS = new Columns(FIELDS, Set.of(), FIELDS);

  private static final Columns SIGNING_COLUMNS =
      new Columns(
          List.of("public_key", "created_at", "signs_until"),
          Set.of(),
          List.of("public_key", "created_at", "signs_until", "id"));

  @Mixin private InternalApiOptions internal = new InternalApiOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

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

  @Command(
      name = "signing-keys",
      description =
          "Lists the public keys of the service that verify webhooks signed by Ed25519, newest first.",
      footer = {
        "",
        "For a receiver that cannot read /.well-known/jwks.json:",
        "  egress secrets signing-keys"
      })
  int signingKeys(@Mixin TableOutput output) {
    return output.table(
        internal.api().call("GET", "/signing-keys", new JsonObject()),
        "signing_keys",
        SIGNING_COLUMNS);
  }

  @Command(
      name = "rotate-signing-key",
      description =
          "Replaces the service's key pair that signs by Ed25519, and prints the new public key. During"
              + " the overlap both sign; end it early with --end.",
      footer = {
        "",
        "A private key that leaked:",
        "  egress secrets rotate-signing-key --overlap 0s"
      })
  int rotateSigningKey(
      @Option(
              names = "--overlap",
              paramLabel = "DURATION",
              defaultValue = "7d",
              description = "how long the old key signs, too; 0s if it leaked (${DEFAULT-VALUE})")
          String overlap,
      @Option(names = "--end", description = "only end the overlap of the last rotation")
          boolean end,
      @Mixin Output output) {
    if (end) {
      internal.api().call("DELETE", "/signing-keys/previous", new JsonObject());
      return output.isJson()
          ? 0
          : Output.line(spec, "Ended the overlap; only the newest key signs.");
    }
    return output.fields(
        internal
            .api()
            .call("POST", "/signing-keys/rotate", new JsonObject().put("overlap", overlap)));
  }
}
