package io.egress.cli;

import io.egress.webhook.send.FailureText;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code egress endpoints}. */
@Command(
    name = "endpoints",
    description = {
      "Creates, lists, shows, changes, tests, pauses, resumes and deletes webhook "
          + "endpoints, and rotates their signing secrets.",
      InternalApiOptions.WHICH_TOKEN
    })
final class EndpointsCommand {
  private static final String HEADER =
      "a header that webhooks carry, whose value is not shown again; may be repeated; the value may be a secret, "
          + SecretText.FORMS;

  @Mixin private InternalApiOptions internal = new InternalApiOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Command(
      name = "create",
      description =
          "Creates an endpoint and prints its id and signing secret, which is shown only once.",
      footer = {
        "",
        "An endpoint with a name for lists, which also gets what finished before:",
        "  egress endpoints create WORKSPACE https://example.com/hook \\",
        "      --description 'search index' --full-history",
        "",
        "One that is sent the stream itself, in order and in pages of at most 50 captures:",
        "  egress endpoints create WORKSPACE https://example.com/pages \\",
        "      --delivery stream --batch 50 --full-history"
      })
  int create(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "URL") String url,
      @Option(names = "--full-history", description = "also push captures that finished before now")
          boolean fullHistory,
      @Option(
              names = "--paused",
              description = "send nothing, the history neither, before endpoints resume")
          boolean paused,
      @Mixin StreamOptions stream,
      @Mixin EndpointSpecOptions spec,
      @Mixin CertificateOptions certificate,
      @Mixin OAuth2Options oauth2,
      @Option(names = "--header", paramLabel = "'NAME: VALUE'", description = HEADER)
          @Nullable List<SecretText.Header> headers,
      @Mixin Output output) {
    JsonObject endpoint =
        new JsonObject().put("url", url).put("full_history", fullHistory).put("paused", paused);
    stream.putInto(endpoint);
    if (headers != null) {
      endpoint.put("headers", headers(headers));
    }
    spec.putInto(endpoint);
    certificate.putInto(endpoint);
    oauth2.putInto(endpoint);
    JsonObject created = internal.api().call("POST", path(workspace), endpoint);
    return printNew(created, output);
  }

  @Command(
      name = "clone",
      description = {
        "Creates an endpoint like another one, paused, and prints its id and signing secret, which is shown only once.",
        "Headers, access tokens and client certificate are copied."
      },
      footer = {
        "",
        "From a webhook for each capture to the stream itself, with everything that was ever finished:",
        "  egress endpoints clone WORKSPACE ENDPOINT-ID --delivery stream --full-history"
      })
  int cloneOf(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID id,
      @Option(names = "--full-history", description = "also push captures that finished before now")
          boolean fullHistory,
      @Mixin StreamOptions stream,
      @Mixin Output output) {
    JsonObject wanted = new JsonObject().put("full_history", fullHistory);
    stream.putInto(wanted);
    JsonObject created = internal.api().call("POST", path(workspace, id) + "/clone", wanted);
    return printNew(created, output);
  }

  private static int printNew(JsonObject created, Output output) {
    return output.print(
        created,
        out -> {
          out.println("id      " + created.getString("id"));
          EndpointSecretText.print(created, out);
        });
  }

  @Command(
      name = "list",
      description =
          "Lists a workspace's endpoints with their health, judged by their newest 20 attempts: since"
              + " when one is down, and why.",
      footer = {
        "",
        "The endpoints and their health, again every 5 seconds:",
        "  egress endpoints list WORKSPACE --watch 5"
      })
  int list(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Mixin Watch watch,
      @Mixin TableOutput output) {
    InternalApi api = internal.api();
    return watch.repeat(
        output, () -> output.table("endpoints", all(api, workspace), EndpointColumns.LISTED));
  }

  /** Every endpoint of the workspace. */
  static JsonArray all(InternalApi api, UUID workspace) {
    return new Listing(path(workspace)).all(api, "endpoints");
  }

  @Command(
      name = "show",
      description = "Shows an endpoint, without its secret.",
      footer = {
        "",
        "Everything about an endpoint but its secret:",
        "  egress endpoints show WORKSPACE ENDPOINT-ID"
      })
  int show(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID id,
      @Mixin Output output) {
    return output.fields(internal.api().call("GET", path(workspace, id), new JsonObject()));
  }

  @Command(
      name = "change",
      description = "Changes only the given properties, from the next attempt on.",
      footer = {
        "",
        "A receiver behind a gateway that requires a token, with at most 20 webhooks per second:",
        "  egress endpoints change WORKSPACE ENDPOINT-ID \\",
        "      --header 'Authorization: Bearer ...' --max-per-second 20"
      })
  int change(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID id,
      @Option(
              names = "--url",
              paramLabel = "URL",
              description =
                  "where webhooks go; another scheme, host or port removes headers, client certificate and OAuth 2.0 client that are not given again")
          @Nullable String url,
      @Mixin EndpointSpecOptions spec,
      @Mixin CertificateOptions certificate,
      @Mixin OAuth2Options oauth2,
      @Option(names = "--header", paramLabel = "'NAME: VALUE'", description = HEADER)
          @Nullable List<SecretText.Header> headers,
      @Option(
              names = "--remove-header",
              paramLabel = "NAME",
              description = "remove this header; may be repeated")
          @Nullable List<String> removed,
      @Mixin Output output) {
    JsonObject change = new JsonObject();
    if (url != null) {
      change.put("url", url);
    }
    if (headers != null || removed != null) {
      JsonObject changed = headers(headers == null ? List.of() : headers);
      (removed == null ? List.<String>of() : removed).forEach(changed::putNull);
      change.put("headers", changed);
    }
    spec.putInto(change);
    certificate.putInto(change);
    oauth2.putInto(change);
    if (change.isEmpty()) {
      throw new UsageException("nothing to change: see egress endpoints change --help");
    }
    JsonObject changed = internal.api().call("PATCH", path(workspace, id), change);
    JsonArray dropped = changed.getJsonArray("dropped", new JsonArray());
    if (!dropped.isEmpty()) {
      output.note(
          "The URL leads to another receiver, so these were removed: %s. Set them again if it needs them."
              .formatted(dropped.stream().map(String::valueOf).collect(Collectors.joining(", "))));
    }
    return output.fields(changed);
  }

  private static JsonObject headers(List<SecretText.Header> given) {
    JsonObject headers = new JsonObject();
    given.forEach(header -> headers.put(header.name(), header.value().value()));
    return headers;
  }

  @Command(
      name = "pause",
      description =
          "Pauses an endpoint. Deliveries that fall due meanwhile are skipped, and not sent after"
              + " resuming; their captures stay in the pull stream. One with the delivery stream skips"
              + " nothing.",
      footer = {
        "",
        "Before the receiver is taken down:",
        "  egress endpoints pause WORKSPACE ENDPOINT-ID"
      })
  int pause(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID id,
      @Mixin Output output) {
    return output.fields(paused(workspace, id, true));
  }

  @Command(
      name = "resume",
      description = "Resumes a paused endpoint.",
      footer = {
        "",
        "And send what was skipped meanwhile:",
        "  egress endpoints resume WORKSPACE ENDPOINT-ID --catch-up"
      })
  int resume(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID id,
      @Option(
              names = "--catch-up",
              description = "also start a replay of what was skipped or failed")
          boolean catchUp,
      @Mixin Output output) {
    JsonObject resumed = paused(workspace, id, false);
    if (catchUp) {
      JsonObject failed = new JsonObject().put("only", "undelivered");
      JsonObject replay = internal.api().call("POST", path(workspace, id) + "/replays", failed);
      output.note("started replay " + replay.getString("id"));
    }
    return output.fields(resumed);
  }

  private JsonObject paused(UUID workspace, UUID id, boolean paused) {
    return internal
        .api()
        .call("PATCH", path(workspace, id), new JsonObject().put("paused", paused));
  }

  @Command(
      name = "pages",
      description =
          "Lists the pages that an endpoint with the delivery stream was sent, newest first.",
      footer = {
        "",
        "The page that brought a capture:",
        "  egress endpoints pages WORKSPACE ENDPOINT-ID --capture CAPTURE-ID"
      })
  int pages(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID id,
      @Option(
              names = "--capture",
              paramLabel = "CAPTURE-ID",
              description = "only pages with this capture in their range")
          @Nullable UUID capture,
      @Mixin Limit limit,
      @Mixin TableOutput output) {
    Listing listing = new Listing(path(workspace, id) + "/pages").only("capture_id", capture);
    return output.table(
        "pages", listing.read(internal.api(), "pages", limit.entries()), EndpointColumns.PAGES);
  }

  @Command(
      name = "skip",
      description =
          "Passes the capture that holds an endpoint with the delivery stream. It is not sent; the"
              + " audit log keeps why.",
      footer = {
        "",
        "A capture that the receiver will never accept:",
        "  egress endpoints skip WORKSPACE ENDPOINT-ID CAPTURE-ID \\",
        "      --reason 'too long for the index'"
      })
  int skip(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID id,
      @Parameters(paramLabel = "CAPTURE-ID") UUID capture,
      @Option(names = "--reason", paramLabel = "TEXT", description = "why, for the audit log")
          @Nullable String reason,
      @Mixin Output output) {
    JsonObject body = new JsonObject().put("capture_id", capture.toString()).put("reason", reason);
    return output.fields(internal.api().call("POST", path(workspace, id) + "/skip", body));
  }

  @Command(
      name = "seek",
      description =
          "Moves a cursor of an endpoint with the delivery stream, and prints the cursor that its"
              + " receiver has to have then.",
      footer = {
        "",
        "Everything again:",
        "  egress endpoints seek WORKSPACE ENDPOINT-ID --from-position 1"
      })
  int seek(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID id,
      @Mixin SeekOptions place,
      @Mixin Output output) {
    return output.fields(internal.api().call("POST", path(workspace, id) + "/seek", place.body()));
  }

  @Command(
      name = "rotate",
      description =
          "Replaces an endpoint's signing secret, and its key pair if its webhooks are signed by"
              + " Ed25519, and prints the new one, which is shown only once. During the overlap both"
              + " sign; end it early with --end.",
      footer = {
        "",
        "A secret that leaked:",
        "  egress endpoints rotate WORKSPACE ENDPOINT-ID --overlap 0s"
      })
  int rotate(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID id,
      @Option(
              names = "--overlap",
              paramLabel = "DURATION",
              defaultValue = "24h",
              description =
                  "how long the old secret signs, too; 0s if it leaked (${DEFAULT-VALUE})")
          String overlap,
      @Option(names = "--end", description = "only end the overlap of the last rotation")
          boolean end,
      @Mixin Output output) {
    if (end) {
      internal.api().call("DELETE", path(workspace, id) + "/previous-secret", new JsonObject());
      return output.isJson()
          ? 0
          : Output.line(spec, "Ended the overlap; only the newest secret signs.");
    }
    JsonObject rotated =
        internal
            .api()
            .call(
                "POST",
                path(workspace, id) + "/rotate-secret",
                new JsonObject().put("overlap", overlap));
    return output.print(rotated, out -> EndpointSecretText.print(rotated, out));
  }

  @Command(
      name = "test",
      description =
          "Sends a signed sample now and shows the receiver's response. Exit status 1 if the test"
              + " failed.",
      footer = {
        "",
        "Whether the receiver accepts webhooks:",
        "  egress endpoints test WORKSPACE ENDPOINT-ID"
      })
  int test(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID id,
      @Mixin Output output) {
    JsonObject result =
        internal.api().call("POST", path(workspace, id) + "/test", new JsonObject());
    output.print(result, out -> AttemptText.printTest(result, out));
    Optional<FailureText> failure =
        FailureText.of(
            result.getString("outcome"), result.getInteger("status"), result.getString("detail"));
    if (failure.isPresent() && !output.isJson()) {
      output.note(failure.get().advice());
    }
    return failure.isEmpty() ? 0 : 1;
  }

  @Command(
      name = "delete",
      description = "Deletes an endpoint; nothing is sent to it any more.",
      footer = {
        "",
        "In a script, which cannot be asked:",
        "  egress endpoints delete WORKSPACE ENDPOINT-ID --yes"
      })
  int delete(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "ENDPOINT-ID") UUID id,
      @Mixin Confirmation confirmation) {
    InternalApi api = internal.api();
    String url = api.call("GET", path(workspace, id), new JsonObject()).getString("url");
    confirmation.require("Delete the endpoint " + url + " for good?");
    api.call("DELETE", path(workspace, id), new JsonObject());
    return Output.line(spec, "Deleted the endpoint " + url + "; nothing more is sent to it.");
  }

  private static String path(UUID workspace) {
    return "/workspaces/" + workspace + "/endpoints";
  }

  private static String path(UUID workspace, UUID id) {
    return path(workspace) + "/" + id;
  }
}
