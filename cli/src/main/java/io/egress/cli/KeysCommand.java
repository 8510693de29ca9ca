package io.egress.cli;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code egress keys}. */
@Command(
    name = "keys",
    description = {
      "Creates, lists, changes and deletes API keys.",
      "The token is EGRESS_INTERNAL_TOKEN, or the one stored in EGRESS_DATA_DIR."
    },
    footer = {
      "",
      "Let a key expire tomorrow at the latest, whatever expiry it has:",
      "  egress keys change WORKSPACE KEY-ID --expires-in 1d"
    })
final class KeysCommand {
  private static final String DEFAULT_NAME = "terminal";
  private static final Columns COLUMNS =
      new Columns(
          List.of("name", "last_four", "last_used_at", "expires_at", "id"),
          Set.of("name"),
          List.of(
              "name",
              "last_four",
              "created_at",
              "created_by",
              "last_used_at",
              "expires_at",
              "filter",
              "id"));

  @Mixin private InternalApiOptions internal = new InternalApiOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Command(
      name = "create",
      description = "Creates a key and prints it. It is shown only once.",
      footer = {
        "",
        "A key for three months, which reads the manual captures only:",
        "  egress keys create WORKSPACE --name search --expires-in 90d --mode manual"
      })
  int create(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Option(names = "--name", paramLabel = "NAME", defaultValue = DEFAULT_NAME) String name,
      @Option(
              names = "--expires-in",
              paramLabel = "DURATION",
              description = "expire after this time, such as 90d (default: never)")
          @Nullable String expiresIn,
      @Mixin FilterOptions filter,
      @Mixin Output output) {
    JsonObject key = new JsonObject().put("name", name);
    filter.putInto(key);
    if (expiresIn != null) {
      key.put("expires_in", expiresIn);
    }
    JsonObject created = internal.api().call("POST", path(workspace), key);
    return output.line(created, created.getString("key"));
  }

  @Command(
      name = "list",
      description = "Lists a workspace's keys.",
      footer = {"", "The keys, and when each was used last:", "  egress keys list WORKSPACE"})
  int list(@Parameters(paramLabel = "WORKSPACE") UUID workspace, @Mixin TableOutput output) {
    JsonArray keys = new Listing(path(workspace)).all(internal.api(), "api_keys");
    return output.table("api_keys", keys, COLUMNS);
  }

  /** When a key expires. */
  static final class Expiry {
    @Option(
        names = "--expires-in",
        paramLabel = "DURATION",
        description = "after this time from now, such as 7d")
    private @Nullable String expiresIn;

    @Option(
        names = "--expires-at",
        paramLabel = "TIME",
        description = "at this time, such as 2026-12-31 or 2026-12-31T18:00:00Z")
    private @Nullable Instant expiresAt;

    @Option(names = "--never", description = "never")
    private boolean never;

    private JsonObject body(boolean extend) {
      JsonObject body = new JsonObject().put("extend", extend);
      if (expiresIn != null) {
        return body.put("expires_in", expiresIn);
      }
      return body.put("expires_at", never || expiresAt == null ? null : expiresAt.toString());
    }
  }

  @Command(
      name = "change",
      description =
          "Changes when a key expires. It becomes later only with --extend, and an expired key"
              + " stays expired.",
      footer = {
        "",
        "Let a key expire tomorrow at the latest:",
        "  egress keys change WORKSPACE KEY-ID --expires-in 1d"
      })
  int change(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "KEY-ID") UUID id,
      @ArgGroup(exclusive = true, multiplicity = "1") Expiry expiry,
      @Option(names = "--extend", description = "also if the key then expires later than before")
          boolean extend,
      @Mixin Output output) {
    JsonObject key = internal.api().call("PATCH", path(workspace) + "/" + id, expiry.body(extend));
    String expiresAt = key.getString("expires_at");
    return output.line(key, "expires_at  " + (expiresAt == null ? "never" : expiresAt));
  }

  @Command(
      name = "delete",
      description = "Deletes a key; it is rejected from the next request on.",
      footer = {"", "A key that leaked:", "  egress keys delete WORKSPACE KEY-ID"})
  int delete(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "KEY-ID") UUID id) {
    internal.api().call("DELETE", path(workspace) + "/" + id, new JsonObject());
    return Output.line(spec, "Deleted the key " + id + "; it is rejected from now on.");
  }

  private static String path(UUID workspace) {
    return "/workspaces/" + workspace + "/api-keys";
  }
}
