package io.egress.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNullElseGet;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code egress deliveries}. */
@Command(
    name = "deliveries",
    description = {"Lists, shows and repeats deliveries.", InternalApiOptions.WHICH_TOKEN},
    footer = {
      "",
      "The deliveries of one capture:",
      "  egress deliveries list WORKSPACE --capture CAPTURE-ID",
      "Exhausted deliveries to one endpoint since yesterday:",
      "  egress deliveries list WORKSPACE --endpoint ENDPOINT-ID \\",
      "      --state exhausted --from yesterday"
    })
final class DeliveriesCommand {
  private static final Columns COLUMNS =
      new Columns(
          List.of("owed_at", "state", "answer", "title", "endpoint", "id"),
          Set.of("answer", "title", "endpoint"),
          DeliveriesCommand::named,
          List.of(
              "owed_at",
              "state",
              "attempts",
              "last_status",
              "last_failure",
              "next_attempt_at",
              "capture_id",
              "title",
              "endpoint_id",
              "endpoint_description",
              "endpoint_url",
              "origin",
              "id"));
  private static final List<String> ATTEMPT_COLUMNS =
      List.of("attempt", "started_at", "duration_ms", "outcome", "status");

  private static final Columns OTHER_COLUMNS =
      new Columns(
          List.of("owed_at", "origin", "state", "last_outcome", "id"),
          Set.of("origin", "last_outcome"),
          other -> other.put("state", EndpointText.state(other)),
          List.of("owed_at", "origin", "state", "attempts", "last_outcome", "id"));

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  /** The filters of the list. */
  static final class Filter {
    @Option(names = "--endpoint", paramLabel = "ID", description = "only to this endpoint")
    private @Nullable UUID endpoint;

    @Option(names = "--state", description = "only pending, delivered, exhausted or skipped ones")
    private @Nullable String state;

    @Option(names = "--capture", paramLabel = "ID", description = "only of this capture")
    private @Nullable UUID capture;

    @Option(
        names = "--outcome",
        description = "only those whose last attempt ended so, such as timeout or status")
    private @Nullable String outcome;

    @Option(
        names = "--title",
        paramLabel = "TEXT",
        description = "only captures with it in the title")
    private @Nullable String title;

    @Option(
        names = "--from",
        paramLabel = "TIME",
        description =
            "only captures that entered the stream at or after this time: " + Instants.FORMS)
    private @Nullable Instant from;

    @Option(
        names = "--to",
        paramLabel = "TIME",
        description = "only captures that entered the stream before this time")
    private @Nullable Instant to;

    /** Without what all rows have in common. */
    private Columns without(Columns columns) {
      Columns others = endpoint == null ? columns : columns.without("endpoint");
      return capture == null ? others : others.without("title");
    }

    private Listing listing(UUID workspace) {
      return new Listing(
              "/workspaces/"
                  + workspace
                  + (endpoint == null ? "" : "/endpoints/" + endpoint)
                  + "/deliveries")
          .only("state", state)
          .only("capture_id", capture)
          .only("outcome", outcome)
          .only("title", title)
          .only("from", from)
          .only("to", to);
    }
  }

  @Command(
      name = "list",
      description = "Lists deliveries, newest captures first.",
      footer = {
        "",
        "What one endpoint did not get since yesterday:",
        "  egress deliveries list WORKSPACE --endpoint ENDPOINT-ID \\",
        "      --state exhausted --from yesterday"
      })
  int list(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Mixin Filter filter,
      @Mixin Limit limit,
      @Mixin Watch watch,
      @Mixin TableOutput output) {
    Listing listing = filter.listing(workspace);
    InternalApi api = internal.api();
    return watch.repeat(
        output,
        () -> {
          JsonArray found = listing.read(api, "deliveries", limit.entries());
          return output.table(
              new JsonObject().put("deliveries", found), found, filter.without(COLUMNS));
        });
  }

  private static JsonObject named(JsonObject delivery) {
    Integer status = delivery.getInteger("last_status");
    return delivery
        .put("state", EndpointText.state(delivery))
        .put("answer", status == null ? delivery.getValue("last_failure") : status)
        .put(
            "endpoint",
            EndpointText.name(
                delivery.getString("endpoint_description"), delivery.getString("endpoint_url")));
  }

  @Command(
      name = "show",
      description =
          "Shows a delivery, or a page of an endpoint that is sent the stream itself, with all of its"
              + " attempts: what was sent and what came back. The newest attempt comes last.",
      footer = {
        "",
        "Check that a body is what attempt 2 sent, with its secret and the t of its signature:",
        "  egress deliveries show WORKSPACE DELIVERY-ID --body 2 > body.json",
        "  (printf %%s. \"$t\"; cat body.json) | openssl dgst -sha256 -hmac \"$secret\"",
        "Every attempt, what was sent and what came back:",
        "  egress deliveries show WORKSPACE DELIVERY-ID"
      })
  int show(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "DELIVERY-ID") UUID id,
      @Option(
              names = "--body",
              paramLabel = "ATTEMPT",
              description =
                  "print only the body of this attempt, byte for byte (before it was compressed), as"
                      + " long as the capture has not changed since")
          @Nullable Integer body,
      @Mixin TableOutput output) {
    JsonObject delivery = delivery(workspace, id, body);
    if (body != null && !output.isJson()) {
      Output.json(delivery.getString("body").getBytes(UTF_8));
      return 0;
    }
    return output.print(delivery, out -> print(delivery.copy(), output, out));
  }

  /** Or the page that has this id. */
  private JsonObject delivery(UUID workspace, UUID id, @Nullable Integer body) {
    InternalApi api = internal.api();
    String ofWorkspace = "/workspaces/" + workspace;
    String path = ofWorkspace + "/deliveries/" + id + (body == null ? "" : "?body=" + body);
    Optional<JsonObject> delivery = api.find(path);
    if (delivery.isPresent()) {
      return delivery.get();
    }
    Optional<JsonObject> page = api.find(ofWorkspace + "/pages/" + id);
    if (page.isPresent() && body != null) {
      throw new IllegalStateException("this is a page, and the bodies of pages are not kept");
    }
    return page.orElseGet(() -> api.call("GET", path, new JsonObject()));
  }

  private static void print(JsonObject delivery, TableOutput output, PrintWriter out) {
    JsonArray attempts = (JsonArray) delivery.remove("attempt_log");
    JsonArray others =
        requireNonNullElseGet((JsonArray) delivery.remove("redeliveries"), JsonArray::new);
    out.print(TextTable.fields(delivery));
    if (!attempts.isEmpty()) {
      out.println();
      out.print(TextTable.whole(ATTEMPT_COLUMNS, attempts));
      attempts.forEach(each -> AttemptText.print((JsonObject) each, out));
    }
    if (!others.isEmpty()) {
      out.printf("%ndeliveries of the capture to the endpoint again:%n");
      out.print(output.text(others, OTHER_COLUMNS));
    }
  }

  @Command(
      name = "redeliver",
      description =
          "Sends the capture of a delivery to its endpoint again, as a new delivery, and prints "
              + "its id.",
      footer = {
        "",
        "One capture again, before any replay:",
        "  egress deliveries redeliver WORKSPACE DELIVERY-ID"
      })
  int redeliver(
      @Parameters(paramLabel = "WORKSPACE") UUID workspace,
      @Parameters(paramLabel = "DELIVERY-ID") UUID id,
      @Mixin Output output) {
    JsonObject redelivery =
        internal
            .api()
            .call(
                "POST",
                "/workspaces/" + workspace + "/deliveries/" + id + "/redeliver",
                new JsonObject());
    return output.line(redelivery, redelivery.getString("id"));
  }
}
