package io.egress.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** JSON objects as text: as rows of a table, or each field in a line. */
final class TextTable {
  /** The columns that a table may take, unless the terminal is known to have more or fewer. */
  static final int WIDTH_MAX = 100;

  /** Set by {@code egress} at a terminal. */
  private static final int WIDTH = Math.max(80, Integer.getInteger("egress.columns", WIDTH_MAX));

  private static final String GAP = "  ";
  private static final int CUT_MIN = 6;

  private TextTable() {}

  /** With the named fields as columns, and all values whole. */
  static String whole(List<String> columns, JsonArray objects) {
    List<List<String>> rows = rows(columns, objects);
    return text(rows, widths(rows));
  }

  /**
   * No wider than the terminal: of the columns in {@code shortened}, the widest lose what is too
   * much. All others are whole.
   */
  static String fitted(List<String> columns, Set<String> shortened, JsonArray objects) {
    List<List<String>> rows = rows(columns, objects);
    int[] widths = widths(rows);
    int excess = GAP.length() * (widths.length - 1) - WIDTH;
    for (int width : widths) {
      excess += width;
    }
    for (; excess > 0; excess--) {
      int widest = widest(columns, shortened, widths);
      if (widest < 0) {
        break;
      }
      widths[widest]--;
    }
    return text(rows, widths);
  }

  /** Of those that can be shortened; -1 if there are none. */
  private static int widest(List<String> columns, Set<String> shortened, int[] widths) {
    int widest = -1;
    for (int i = 0; i < widths.length; i++) {
      String column = columns.get(i);
      if (shortened.contains(column)
          && widths[i] > Math.max(CUT_MIN, column.length())
          && (widest < 0 || widths[i] > widths[widest])) {
        widest = i;
      }
    }
    return widest;
  }

  private static List<List<String>> rows(List<String> columns, JsonArray objects) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(columns);
    for (Object object : objects) {
      rows.add(
          columns.stream().map(column -> visible(((JsonObject) object).getValue(column))).toList());
    }
    return rows;
  }

  private static int[] widths(List<List<String>> rows) {
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], DisplayWidth.of(row.get(i)));
      }
    }
    return widths;
  }

  private static String text(List<List<String>> rows, int[] widths) {
    StringBuilder table = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String cell = DisplayWidth.cut(row.get(i), widths[i]);
        line.append(DisplayWidth.padded(cell, widths[i])).append(GAP);
      }
      table.append(line.toString().stripTrailing()).append('\n');
    }
    return table.toString();
  }

  /** One line for each field of {@code object}. */
  static String fields(JsonObject object) {
    int width = object.fieldNames().stream().mapToInt(String::length).max().orElse(0);
    StringBuilder lines = new StringBuilder();
    for (String field : object.fieldNames()) {
      lines.append(field).append(" ".repeat(width - field.length())).append(GAP);
      lines.append(visible(object.getValue(field))).append('\n');
    }
    return lines.toString();
  }

  /** A receiver's response may contain anything. */
  private static String visible(@Nullable Object value) {
    return value == null ? "-" : VisibleText.line(value.toString());
  }
}
