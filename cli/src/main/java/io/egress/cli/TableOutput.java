package io.egress.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Option;

/** The output of a command that prints a table. */
final class TableOutput extends Output {
  private static final TableTimes TIMES = new TableTimes(Clock.systemUTC());

  @Option(
      names = "--wide",
      description =
          "show all columns, and values whole; without it, tables are at most 100 columns wide, with"
              + " short times in UTC")
  private boolean wide;

  /**
   * The columns of a table.
   *
   * @param fitting those that fit
   * @param shortened those of them that may be shortened
   * @param row adds to an object what {@code fitting} has beyond the fields of the API
   * @param all those of {@code --wide}
   */
  record Columns(
      List<String> fitting,
      Set<String> shortened,
      UnaryOperator<JsonObject> row,
      List<String> all) {
    Columns {
      fitting = List.copyOf(fitting);
      shortened = Set.copyOf(shortened);
      all = List.copyOf(all);
    }

    Columns(List<String> fitting, Set<String> shortened, List<String> all) {
      this(fitting, shortened, row -> row, all);
    }

    /** Without a column that has the same value in all rows. */
    Columns without(String column) {
      return new Columns(
          fitting.stream().filter(each -> !each.equals(column)).toList(), shortened, row, all);
    }
  }

  /** The objects in the array {@code field} are the rows. */
  int table(JsonObject answer, String field, Columns columns) {
    return table(answer, answer.getJsonArray(field), columns);
  }

  /** As JSON, {@code rows} are in the array {@code field}. */
  int table(String field, JsonArray rows, Columns columns) {
    return table(new JsonObject().put(field, rows), rows, columns);
  }

  int table(JsonObject answer, JsonArray rows, Columns columns) {
    return print(answer, out -> out.print(text(rows, columns)));
  }

  String text(JsonArray rows, Columns columns) {
    if (wide) {
      return TextTable.whole(columns.all(), rows);
    }
    JsonArray fitting = new JsonArray();
    rows.forEach(each -> fitting.add(fitting((JsonObject) each, columns)));
    return TextTable.fitted(columns.fitting(), columns.shortened(), fitting);
  }

  private static JsonObject fitting(JsonObject object, Columns columns) {
    JsonObject row = columns.row().apply(object.copy());
    for (String column : columns.fitting()) {
      if ((column.equals("at") || column.endsWith("_at") || column.endsWith("_since"))
          && row.getValue(column) instanceof String time) {
        row.put(column, TIMES.of(time));
      }
    }
    return row;
  }
}
