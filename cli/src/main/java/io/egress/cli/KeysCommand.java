package io.egress.cli;

import static java.util.Objects.requireNonNullElse;
import static java.util.stream.Collectors.joining;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code egress keys}. */
@Command(
    name = "keys",
    description = {"Creates, lists, changes and deletes API keys.", InternalApiOptions.WHICH_TOKEN},
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
              "expect_within",
              "stopped_at",
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
        "  egress keys create WORKSPACE --name search --expires-in 90d --mode manual",
        "",
        "A key for a job that runs every day, with a notice to the operator if it does not:",
        "  egress keys create WORKSPACE --name warehouse --expect-within 26h"
      })
  int create(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Option(names = "--name", paramLabel = "NAME", defaultValue = DEFAULT_NAME) String name,
      @Option(
              names = "--expires-in",
              paramLabel = "DURATION",
              description = "expire after this time, such as 90d (default: never)")
          @Nullable String expiresIn,
      @Option(
              names = "--expect-within",
              paramLabel = "DURATION",
              description =
                  "notify the operator if it does not pull for this time, such as 26h, although there is"
                      + " something new for it (default: never)")
          @Nullable String expectWithin,
      @Mixin FilterOptions filter,
      @Mixin Output output) {
    JsonObject key = new JsonObject().put("name", name);
    filter.putInto(key);
    if (expiresIn != null) {
      key.put("expires_in", expiresIn);
    }
    if (expectWithin != null) {
      key.put("expect_within", expectWithin);
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

    private void putInto(JsonObject body) {
      if (expiresIn != null) {
        body.put("expires_in", expiresIn);
      } else {
        body.put("expires_at", never || expiresAt == null ? null : expiresAt.toString());
      }
    }
  }

  @Command(
      name = "change",
      description =
          "Changes when a key expires, or how often it is expected to pull. It expires later than before only with"
              + " --extend, and an expired key stays expired.",
      footer = {
        "",
        "Let a key expire tomorrow at the latest:",
        "  egress keys change WORKSPACE KEY-ID --expires-in 1d",
        "",
        "A notice to the operator if a nightly job does not run:",
        "  egress keys change WORKSPACE KEY-ID --expect-within 26h"
      })
  int change(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "KEY-ID") UUID id,
      @ArgGroup(exclusive = true, multiplicity = "0..1") @Nullable Expiry expiry,
      @Option(names = "--extend", description = "also if the key then expires later than before")
          boolean extend,
      @Option(
              names = "--expect-within",
              paramLabel = "DURATION",
              description =
                  "notify the operator if it does not pull for this time, such as 26h, although there is"
                      + " something new for it; never to expect nothing")
          @Nullable String expectWithin,
      @Mixin Output output) {
    if (expiry == null && expectWithin == null) {
      throw new ParameterException(
          spec.subcommands().get("change"),
          "One of --expires-in, --expires-at, --never and --expect-within is required");
    }
    if (extend && expiry == null) {
      throw new ParameterException(
          spec.subcommands().get("change"),
          "--extend goes with --expires-in, --expires-at or --never");
    }
    JsonObject body = new JsonObject();
    if (expiry != null) {
      expiry.putInto(body.put("extend", extend));
    }
    if (expectWithin != null) {
      body.put("expect_within", expectWithin.equals("never") ? null : expectWithin);
    }
    JsonObject key = internal.api().call("PATCH", path(workspace) + "/" + id, body);
    return output.line(
        key,
        Stream.of("expires_at", "expect_within")
            .filter(field -> field.equals("expires_at") ? expiry != null : expectWithin != null)
            .map(field -> field + "  " + requireNonNullElse(key.getString(field), "never"))
            .collect(joining(System.lineSeparator())));
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
