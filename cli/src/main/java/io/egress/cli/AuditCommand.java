package io.egress.cli;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code egress audit}. */
@Command(
    name = "audit",
    description = {
      "Shows and exports the audit log of one workspace or of all.",
      InternalApiOptions.WHICH_TOKEN
    },
    footer = {
      "",
      "Changes of one endpoint:",
      "  egress audit list WORKSPACE --thing ENDPOINT-ID",
      "All entries of January, as a file:",
      "  egress audit export --from 2026-01-01 --to 2026-02-01 > january.ndjson"
    })
final class AuditCommand {
  private static final Columns COLUMNS =
      new Columns(
          List.of("at", "actor", "action", "thing_id", "changes"),
          Set.of("actor", "action", "changes"),
          List.of("at", "actor", "via", "remote_address", "action", "thing_id", "changes"));

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  /** The filters of the list. */
  static final class Filter {
    @Parameters(paramLabel = "WORKSPACE", arity = "0..1", description = "all where it is not given")
    private @Nullable UUID workspace;

    @Option(
        names = "--from",
        paramLabel = "TIME",
        description = "only at or after this time: " + Instants.FORMS)
    private @Nullable Instant from;

    @Option(names = "--to", paramLabel = "TIME", description = "only before this time")
    private @Nullable Instant to;

    @Option(names = "--action", description = "only this action, such as endpoint.created")
    private @Nullable String action;

    @Option(names = "--thing", paramLabel = "ID", description = "only about this key or endpoint")
    private @Nullable UUID thing;

    @Option(names = "--by", paramLabel = "ACTOR", description = "only by this actor")
    private @Nullable String by;

    private Listing listing() {
      return new Listing((workspace == null ? "" : "/workspaces/" + workspace) + "/audit")
          .only("from", from)
          .only("to", to)
          .only("action", action)
          .only("thing_id", thing)
          .only("actor", by);
    }
  }

  @Command(
      name = "list",
      description = "Lists entries, newest first.",
      footer = {
        "",
        "What happened to one endpoint:",
        "  egress audit list WORKSPACE --thing ENDPOINT-ID"
      })
  int list(@Mixin Filter filter, @Mixin Limit limit, @Mixin TableOutput output) {
    JsonArray found = filter.listing().read(internal.api(), "entries", limit.entries());
    return output.table(new JsonObject().put("entries", found), found, COLUMNS);
  }

  @Command(
      name = "export",
      description = "Prints all entries as JSON, one per line.",
      footer = {
        "",
        "January, as a file:",
        "  egress audit export --from 2026-01-01 --to 2026-02-01 > january.ndjson"
      })
  int export(@Mixin Filter filter) {
    internal.api().eachLine(filter.listing().call(), line -> Output.jsonLine(spec, line));
    return 0;
  }
}
