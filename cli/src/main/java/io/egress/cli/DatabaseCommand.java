package io.egress.cli;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code egress database}. */
@Command(
    name = "database",
    description = {
      "Shows why PostgreSQL is slow or takes no writes: whether it is a standby or read-only, its"
          + " connections, which sessions wait for others, hold others up or keep a transaction open,"
          + " and how far its standbys are.",
      InternalApiOptions.WHICH_TOKEN
    },
    footer = {"", "Which session holds others up:", "  egress database"})
final class DatabaseCommand implements Callable<Integer> {
  private static final Columns SESSIONS =
      new Columns(
          List.of("pid", "transaction_since", "state", "waits_for", "blocked_by", "application"),
          Set.of("state", "waits_for", "blocked_by", "application"),
          List.of(
              "pid",
              "transaction_since",
              "state",
              "waits_for",
              "blocked_by",
              "blocks",
              "user",
              "application",
              "address",
              "query"));
  private static final List<String> STANDBY_FIELDS =
      List.of(
          "application", "address", "state", "sync_state", "replay_lag_seconds", "bytes_behind");
  private static final Columns STANDBYS =
      new Columns(STANDBY_FIELDS, Set.of("application", "address"), STANDBY_FIELDS);

  @Mixin private InternalApiOptions internal = new InternalApiOptions();

  @Mixin private TableOutput output = new TableOutput();

  @Override
  public Integer call() {
    JsonObject database = internal.api().call("GET", "/database", new JsonObject());
    return output.print(database, out -> print(database, output, out));
  }

  private static void print(JsonObject database, TableOutput output, PrintWriter out) {
    JsonObject server = database.getJsonObject("server");
    JsonObject connections = database.getJsonObject("connections");
    JsonObject fields =
        new JsonObject()
            .put("server", "PostgreSQL " + server.getString("version") + ", " + kind(server))
            .put(
                "connections", connections.getValue("used") + " of " + connections.getValue("max"));
    JsonObject filling = database.getJsonObject("filling");
    if (filling != null) {
      fields.put(
          "preparing",
          "%s of about %s captures for keys with filters"
              .formatted(filling.getValue("done"), filling.getValue("of")));
    }
    out.print(TextTable.fields(fields));
    table(
        "Sessions that wait, that others wait for, or with a transaction of more than 5 seconds:",
        "No session waits, and no transaction is older than 5 seconds.",
        SESSIONS,
        database.getJsonArray("sessions"),
        output,
        out);
    table(
        "Standbys:",
        "No standby is connected to this server.",
        STANDBYS,
        database.getJsonArray("standbys"),
        output,
        out);
  }

  private static String kind(JsonObject server) {
    if (server.getBoolean("in_recovery")) {
      return "a standby: it takes no writes";
    }
    return server.getBoolean("read_only")
        ? "default_transaction_read_only: it takes no writes"
        : "takes writes";
  }

  private static void table(
      String title,
      String none,
      Columns columns,
      JsonArray rows,
      TableOutput output,
      PrintWriter out) {
    out.println();
    out.println(rows.isEmpty() ? none : title);
    if (!rows.isEmpty()) {
      out.print(output.text(rows, columns));
    }
  }
}
