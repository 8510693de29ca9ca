package io.egress.bench.age;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The plans that a server has used, as PostgreSQL's module auto_explain logs them. */
final class ExplainedStatements {
  /** A statement with the root of its plan. */
  record Explained(String text, JsonObject plan) {}

  private static final String MARK = "plan:";

  /** What grows with captures, deliveries, changes or acts. */
  private static final Set<String> GROWING =
      Set.of(
          "captures",
          "documents",
          "stream",
          "changes",
          "change_marks",
          "erasures",
          "erased_spans",
          "deliveries",
          "attempts",
          "pages",
          "receipts",
          "endpoint_hours",
          "backfills",
          "audit");

  private ExplainedStatements() {}

  /**
   * Logs the plan of each statement of new connections that takes a millisecond, also in functions.
   */
  static void log(String url) throws SQLException {
    try (Connection connection = AgedDatabase.connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute("load 'auto_explain'");
      for (String setting :
          List.of(
              "session_preload_libraries = 'auto_explain'",
              "auto_explain.log_min_duration = 1",
              "auto_explain.log_analyze = on",
              "auto_explain.log_timing = off",
              "auto_explain.log_nested_statements = on",
              "auto_explain.log_format = json",
              "auto_explain.log_parameter_max_length = 0")) {
        statement.execute("alter system set " + setting);
      }
      statement.execute("select pg_reload_conf()");
    }
  }

  static void read(Path logs, Consumer<Explained> reader) throws IOException {
    try (Stream<Path> files = Files.list(logs)) {
      for (Path file : files.toList()) {
        try (BufferedReader lines = Files.newBufferedReader(file)) {
          read(lines, reader);
        }
      }
    }
  }

  /** The lines of a plan begin with a tab. */
  private static void read(BufferedReader lines, Consumer<Explained> reader) throws IOException {
    StringBuilder plan = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (!line.startsWith("\t")) {
        read(plan, reader);
        plan.setLength(0);
        plan.append(line.endsWith(MARK) ? " " : "");
      } else if (!plan.isEmpty()) {
        plan.append(line).append('\n');
      }
    }
    read(plan, reader);
  }

  private static void read(CharSequence plan, Consumer<Explained> reader) {
    if (plan.length() > 1) {
      JsonObject explained = new JsonObject(plan.toString());
      reader.accept(
          new Explained(
              explained.getString("Query Text").replaceAll("\\s+", " "),
              explained.getJsonObject("Plan")));
    }
  }

  /**
   * What grows with the database in a plan.
   *
   * @param rowsMax the rows that a node may read at once
   */
  static Set<String> faults(Explained statement, long rowsMax) {
    Set<String> faults = new TreeSet<>();
    visit(
        statement.plan(),
        node -> {
          String kind = node.getString("Node Type");
          double rows = number(node, "Actual Rows");
          double removed =
              number(node, "Rows Removed by Filter")
                  + number(node, "Rows Removed by Index Recheck");
          if (kind.equals("Seq Scan") && isGrowing(node) && rows + removed > rowsMax) {
            faults.add("scans " + table(node));
          }
          if (removed > rowsMax && removed > 10 * rows) {
            faults.add("reads %s in vain".formatted(table(node)));
          }
          if (kind.contains("Sort") && rows > rowsMax) {
            faults.add("sorts");
          }
        });
    return faults;
  }

  private static boolean isGrowing(JsonObject node) {
    return GROWING.contains(table(node));
  }

  /** Of a day, the table that it is one of. */
  private static String table(JsonObject node) {
    return node.getString("Relation Name", node.getString("Node Type"))
        .replaceFirst("^ending_", "")
        .replaceFirst("_\\d{8}$", "");
  }

  private static double number(JsonObject node, String name) {
    Number number = node.getNumber(name);
    return number == null ? 0 : number.doubleValue();
  }

  private static void visit(JsonObject node, Consumer<JsonObject> visitor) {
    visitor.accept(node);
    for (Object child : node.getJsonArray("Plans", new JsonArray())) {
      visit((JsonObject) child, visitor);
    }
  }
}
