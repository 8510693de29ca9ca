package io.egress.api.formats;

import static io.egress.api.Service.await;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The rows of a database as JSON, and the names and types of their columns. */
final class StoredDatabase {
  private static final String TABLES =
      """
      select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname <> 'flyway_schema_history'
      order by relname
      """;

  private static final String COLUMNS =
      """
      select attname, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::text::regclass and attnum > 0 and not attisdropped and attgenerated = ''
      order by attname
      """;

  private static final String MIGRATION =
      "select version from flyway_schema_history where success order by installed_rank desc limit 1";

  private StoredDatabase() {}

  /** A line a column. */
  static List<String> schema(Pool pool) {
    List<String> lines = new ArrayList<>();
    for (String table : tables(pool)) {
      for (Row column : await(pool.preparedQuery(COLUMNS).execute(Tuple.of(table)))) {
        lines.add(table + "." + column.getString("attname") + " " + column.getString("type"));
      }
    }
    return lines;
  }

  static String migration(Pool pool) {
    return await(pool.query(MIGRATION).execute()).iterator().next().getString(0);
  }

  static JsonObject dump(Pool pool) {
    JsonObject all = new JsonObject();
    for (String table : tables(pool)) {
      Row rows =
          await(
                  pool.query("select coalesce(json_agg(t), '[]') from %s t".formatted(table))
                      .execute())
              .iterator()
              .next();
      all.put(table, rows.getJsonArray(0));
    }
    JsonObject sequences = new JsonObject();
    await(pool.query("select sequencename, last_value from pg_sequences order by 1").execute())
        .forEach(row -> sequences.put(row.getString(0), row.getLong(1)));
    return new JsonObject().put("tables", all).put("sequences", sequences);
  }

  private static final String LOG_OF_TODAY =
      """
      do $$
      declare
        log regclass;
        day text := to_char(now() at time zone 'UTC', 'YYYYMMDD');
      begin
        for log in select oid from pg_class where relkind = 'p' loop
          execute format('create table %s partition of %s for values from (%L) to (%L)', log || '_' || day, log,
            day::date, day::date + 1);
        end loop;
      end
      $$
      """;

  /** The schema is that of the release that wrote the rows. Days of the log become today. */
  static void load(Pool pool, JsonObject dump) {
    await(pool.query(LOG_OF_TODAY).execute());
    await(
        pool.withTransaction(tx ->
            tx.query("set local session_replication_role = replica")
                .execute()
                .compose(_ -> load(tx, dump))));
  }

  private static Future<Void> load(SqlClient tx, JsonObject dump) {
    Future<?> loaded = Future.succeededFuture();
    JsonObject tables = dump.getJsonObject("tables");
    for (String table : tables.fieldNames()) {
      JsonArray rows = tables.getJsonArray(table);
      if (!rows.isEmpty()) {
        loaded = loaded.compose(_ -> replace(tx, table, rows));
      }
    }
    JsonObject sequences = dump.getJsonObject("sequences");
    for (String sequence : sequences.fieldNames()) {
      Long last = sequences.getLong(sequence);
      if (last != null) {
        loaded =
            loaded.compose(_ ->
                tx.preparedQuery("select setval($1::text::regclass, $2)")
                    .execute(Tuple.of(sequence, last)));
      }
    }
    return loaded.mapEmpty();
  }

  /** A migration may have left rows of its own. */
  private static Future<?> replace(SqlClient tx, String table, JsonArray rows) {
    String today = LocalDate.now(ZoneOffset.UTC).toString();
    rows.stream()
        .map(JsonObject.class::cast)
        .filter(row -> row.containsKey("day"))
        .forEach(row -> row.put("day", today));
    String columns =
        rows.getJsonObject(0).fieldNames().stream()
            .map(name -> '"' + name + '"')
            .collect(Collectors.joining(", "));
    return tx.query("delete from " + table)
        .execute()
        .compose(_ -> insert(tx, table, columns, rows));
  }

  private static Future<?> insert(SqlClient tx, String table, String columns, JsonArray rows) {
    return tx.preparedQuery(
            """
            insert into %1$s (%2$s) overriding system value
            select %2$s from json_populate_recordset(null::%1$s, $1)
            """
                .formatted(table, columns))
        .execute(Tuple.of(rows));
  }

  private static List<String> tables(Pool pool) {
    List<String> names = new ArrayList<>();
    await(pool.query(TABLES).execute()).forEach(row -> names.add(row.getString(0)));
    return names;
  }
}
