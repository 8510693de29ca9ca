package io.egress.api.admin.erasures;

import io.egress.api.Service;
import io.egress.transcript.document.Fragment;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Searches every column of every table, and what is compressed in stored documents. */
final class TextSearch {
  private TextSearch() {}

  /** The places that contain one of the texts. */
  static List<String> in(Service service, String... texts) {
    List<String> found = inColumns(service, texts);
    for (Row row : service.query("select capture_id, deflated, crc32, length from documents")) {
      String document = inflated(row);
      for (String text : texts) {
        if (document.contains(text)) {
          found.add("the document of " + row.getUUID(0) + ": " + text);
        }
      }
    }
    return found;
  }

  /** The columns that contain one of the texts uncompressed. */
  static List<String> inColumns(Service service, String... texts) {
    List<String> found = new ArrayList<>();
    RowSet<Row> columns =
        service.query(
            """
            select c.table_name, c.column_name, c.data_type from information_schema.columns c
            join information_schema.tables t using (table_schema, table_name)
            where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
            """);
    for (Row column : columns) {
      String place = column.getString(0) + "." + column.getString(1);
      String value = '"' + column.getString(1) + '"';
      String readable =
          column.getString(2).equals("bytea") ? "encode(%s, 'escape')".formatted(value) : value;
      for (Row contained :
          Service.await(
              service
                  .database
                  .preparedQuery(
                      "select t from unnest($1::text[]) as t where exists (select from %s where %s::text like '%%' || t || '%%')"
                          .formatted(column.getString(0), readable))
                  .execute(Tuple.of((Object) texts)))) {
        found.add(place + ": " + contained.getString(0));
      }
    }
    return found;
  }

  private static String inflated(Row row) {
    return row.getBuffer("deflated").length() == 0
        ? ""
        : new String(fragment(row).inflate(), StandardCharsets.UTF_8);
  }

  /** Of a row of the table of documents. */
  static Fragment fragment(Row row) {
    return new Fragment(row.getBuffer("deflated"), row.getInteger("crc32"), row.getLong("length"));
  }
}
