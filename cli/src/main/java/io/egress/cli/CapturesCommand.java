package io.egress.cli;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code egress captures}. */
@Command(
    name = "captures",
    description = {
      "Lists the captures of a workspace; shows and erases them, in whatever workspace they are.",
      InternalApiOptions.WHICH_TOKEN
    })
final class CapturesCommand {
  private static final Columns COLUMNS =
      new Columns(
          List.of("endpoint", "state", "answer", "origin", "id"),
          Set.of("endpoint", "answer", "origin"),
          CapturesCommand::named,
          List.of(
              "endpoint_id",
              "description",
              "url",
              "state",
              "attempts",
              "last_outcome",
              "origin",
              "id"));

  private static final List<String> COPIES_COLUMNS = List.of("who", "sent", "at", "told", "id");
  private static final Columns COPIES = new Columns(COPIES_COLUMNS, Set.of("who"), COPIES_COLUMNS);

  private static final List<String> LISTED_COLUMNS =
      List.of("entered_at", "title", "speakers", "device", "mode", "id");
  private static final Columns LISTED =
      new Columns(LISTED_COLUMNS, Set.of("title", "speakers", "device"), LISTED_COLUMNS);

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  /** The filters of the list. */
  static final class Filter {
    @Option(
        names = "--search",
        paramLabel = "TEXT",
        description = "only those with it in the title, or with this id")
    private @Nullable String search;

    @Option(
        names = "--member",
        paramLabel = "NAME",
        description = "only those with this member, by id or a part of the name")
    private @Nullable String member;

    @Option(
        names = "--device",
        paramLabel = "NAME",
        description = "only those of this device, by id or a part of the name")
    private @Nullable String device;

    @Option(names = "--mode", description = "only ambient or manual ones")
    private @Nullable String mode;

    @Option(
        names = "--from",
        paramLabel = "TIME",
        description = "only those that entered the stream at or after this time: " + Instants.FORMS)
    private @Nullable Instant from;

    @Option(
        names = "--to",
        paramLabel = "TIME",
        description = "only those that entered the stream before this time")
    private @Nullable Instant to;

    private Listing listing(UUID workspace) {
      return new Listing("/workspaces/" + workspace + "/captures")
          .only("search", search)
          .only("member", member)
          .only("device", device)
          .only("mode", mode)
          .only("from", from)
          .only("to", to);
    }
  }

  @Command(
      name = "list",
      description = {
        "Lists the captures in a workspace's stream, newest first.",
        "Texts are compared without case, width, marks and runs of white space."
      },
      footer = {
        "",
        "A talk with Ada since yesterday:",
        "  egress captures list WORKSPACE --member ada --from yesterday"
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
          JsonArray found = listing.read(api, "captures", limit.entries());
          JsonArray rows = new JsonArray();
          found.forEach(each -> rows.add(listed((JsonObject) each)));
          return output.table(new JsonObject().put("captures", found), rows, LISTED);
        });
  }

  /** Of an erased capture, only its place is left. */
  private static JsonObject listed(JsonObject capture) {
    JsonArray members = capture.getJsonArray("members");
    return capture
        .copy()
        .put(
            "title",
            capture.getString("erased_at") == null ? capture.getString("title") : "(erased)")
        .put(
            "speakers",
            members.isEmpty() ? capture.getValue("speakers") : String.join(", ", names(members)));
  }

  private static List<String> names(JsonArray members) {
    return members.stream().map(String.class::cast).toList();
  }

  @Command(
      name = "show",
      description =
          "Shows whose a capture is, its position in the stream, and what became of it at each"
              + " endpoint. Exit status 1 if there is none.",
      footer = {
        "",
        "Where a capture is, and what each endpoint answered:",
        "  egress captures show CAPTURE-ID"
      })
  int show(@Parameters(paramLabel = "CAPTURE-ID") UUID id, @Mixin TableOutput output) {
    JsonObject capture = internal.api().call("GET", "/captures/" + id, new JsonObject());
    return output.print(capture, out -> print(capture.copy(), output, out));
  }

  private static void print(JsonObject capture, TableOutput output, PrintWriter out) {
    JsonArray endpoints = (JsonArray) capture.remove("endpoints");
    out.println(TextTable.fields(capture.put("state", explained(capture.getString("state")))));
    out.print(
        endpoints.isEmpty()
            ? "The workspace has no endpoints.\n"
            : output.text(rows(endpoints), COLUMNS));
  }

  @Command(
      name = "erase",
      description = {
        "Erases what a capture says, for good.",
        "Readers learn of it, and of the reason, from GET /api/v1/changes, endpoints by capture.erased.",
        "To see who has a copy and who has received the erasure: egress captures copies."
      },
      footer = {
        "",
        "At the request of a participant:",
        "  egress captures erase CAPTURE-ID --reason 'requested by a participant'"
      })
  int erase(
      @Parameters(paramLabel = "CAPTURE-ID") UUID id,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              required = true,
              description = "why, for readers and the audit log")
          String reason,
      @Mixin Output output) {
    JsonObject erased =
        internal.api().call("DELETE", "/captures/" + id, new JsonObject().put("reason", reason));
    return output.line(erased, "Erased at " + erased.getString("erased_at"));
  }

  @Command(
      name = "copies",
      description = {
        "Shows who has a copy of a capture, and who has received its newest change or its erasure.",
        "Deleted keys and endpoints are included. If it is not certain that a copy was sent, it says possibly.",
        "Exit status 1 if somebody may have a copy and has not received the change."
      },
      footer = {
        "",
        "The record of an erasure, as a file:",
        "  egress captures copies CAPTURE-ID --csv > record.csv"
      })
  int copies(
      @Parameters(paramLabel = "CAPTURE-ID") UUID id,
      @Option(names = "--csv", description = "print comma-separated values") boolean csv,
      @Mixin TableOutput output) {
    JsonObject copies = internal.api().call("GET", "/captures/" + id + "/copies", new JsonObject());
    JsonArray rows = CopiesText.rows(copies);
    output.print(
        copies,
        out -> {
          if (csv) {
            out.print(CopiesText.csv(rows));
          } else {
            out.print(rows.isEmpty() ? "Nobody has it.\n" : output.text(rows, COPIES));
          }
        });
    return copies.getLong("untold") == 0 ? 0 : 1;
  }

  private static String explained(String state) {
    return switch (state) {
      case "in_stream" -> "in the stream";
      case "erased" -> "erased: readers no longer get it; its place in the order stays";
      case "entering" -> "acknowledged; enters the stream in a moment";
      case "without_segments" -> "not in the stream: it has no segments, so it is not finished";
      default -> state;
    };
  }

  private static JsonObject named(JsonObject delivery) {
    return delivery
        .put(
            "endpoint",
            EndpointText.name(delivery.getString("description"), delivery.getString("url")))
        .put("state", EndpointText.state(delivery))
        .put("answer", EndpointText.answer(delivery.getString("last_outcome")));
  }

  private static JsonArray rows(JsonArray endpoints) {
    JsonArray rows = new JsonArray();
    for (Object each : endpoints) {
      JsonObject endpoint = (JsonObject) each;
      JsonArray deliveries = endpoint.getJsonArray("deliveries");
      if (deliveries.isEmpty()) {
        rows.add(endpoint.copy().put("state", "not owed"));
      }
      deliveries.forEach(delivery -> rows.add(endpoint.copy().mergeIn((JsonObject) delivery)));
    }
    return rows;
  }
}
