package io.egress.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** JSON objects as text: as rows of a table, or each field in a line. */
final class TextTable {
  private static final int WIDTH_MAX = 60;
  private static final String GAP = "  ";

  private TextTable() {}

  /** With the named fields as columns. */
  static String of(List<String> columns, JsonArray objects) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(columns);
    for (Object object : objects) {
      rows.add(columns.stream().map(column -> text((JsonObject) object, column)).toList());
    }
    int[] widths = new int[columns.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], DisplayWidth.of(row.get(i)));
      }
    }
    StringBuilder table = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(DisplayWidth.padded(row.get(i), widths[i])).append(GAP);
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

  private static String text(JsonObject object, String field) {
    return DisplayWidth.cut(visible(object.getValue(field)), WIDTH_MAX);
  }

  /** Without control characters: a receiver's response may contain anything. */
  private static String visible(@Nullable Object value) {
    return value == null ? "-" : value.toString().replaceAll("\\p{Cntrl}+", " ");
  }
}
