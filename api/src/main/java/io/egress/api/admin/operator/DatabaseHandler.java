package io.egress.api.admin.operator;

import io.egress.platform.http.HttpExchange;
import io.egress.platform.json.UtcInstant;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.function.Function;

/**
 * Shows why PostgreSQL is slow or takes no writes: what kind of server it is, who waits for whom,
 * and how far its standbys are.
 */
public final class DatabaseHandler {
  private static final String SERVER =
      """
      select current_setting('server_version') as version, pg_is_in_recovery() as in_recovery,
        current_setting('default_transaction_read_only')::boolean as read_only,
        current_setting('max_connections')::int as connections_max,
        (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections
      """;

  private static final String SESSIONS =
      """
      with sessions as (
        select pid, usename::text as user_name, application_name, host(client_addr) as address, state, wait_event_type,
          wait_event, xact_start, left(query, 200) as query, pg_blocking_pids(pid) as blocked_by
        from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
          and xact_start is not null)
      select s.*, (select count(*) from sessions o where s.pid = any(o.blocked_by)) as blocks
      from sessions s
      where s.xact_start < now() - interval '5 seconds' or s.wait_event = 'SyncRep' or cardinality(s.blocked_by) > 0
        or exists (select from sessions o where s.pid = any(o.blocked_by))
      order by s.xact_start limit 50
      """;

  private static final String STANDBYS =
      """
      select application_name, host(client_addr) as address, state, sync_state,
        extract(epoch from replay_lag)::float8 as replay_lag_seconds,
        pg_wal_lsn_diff(
          case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
          replay_lsn)::bigint as bytes_behind
      from pg_stat_replication order by application_name, pid
      """;

  private final Pool pool;
  private final Pool any;

  /** {@code any} leads to whatever server answers, if that of {@code pool} cannot be read. */
  public DatabaseHandler(Pool pool, Pool any) {
    this.pool = pool;
    this.any = any;
  }

  public void show(RoutingContext ctx) {
    read(pool)
        .recover(_ -> read(any))
        .onSuccess(shown -> HttpExchange.sendJson(ctx, 200, shown))
        .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  private static Future<JsonObject> read(Pool pool) {
    JsonObject shown = new JsonObject();
    return pool.query(SERVER)
        .execute()
        .compose(rows -> {
          Row server = rows.iterator().next();
          shown.put("server", server(server)).put("connections", connections(server));
          return list(pool, SESSIONS, DatabaseHandler::session);
        })
        .compose(sessions -> {
          shown.put("sessions", sessions);
          return list(pool, STANDBYS, DatabaseHandler::standby);
        })
        .map(standbys -> shown.put("standbys", standbys));
  }

  private static Future<JsonArray> list(Pool pool, String sql, Function<Row, JsonObject> json) {
    return pool.query(sql).execute().map(rows -> list(rows, json));
  }

  private static JsonArray list(RowSet<Row> rows, Function<Row, JsonObject> json) {
    JsonArray list = new JsonArray();
    rows.forEach(row -> list.add(json.apply(row)));
    return list;
  }

  private static JsonObject server(Row row) {
    return new JsonObject()
        .put("version", row.getString("version"))
        .put("in_recovery", row.getBoolean("in_recovery"))
        .put("read_only", row.getBoolean("read_only"));
  }

  private static JsonObject connections(Row row) {
    return new JsonObject()
        .put("used", row.getLong("connections"))
        .put("max", row.getInteger("connections_max"));
  }

  private static JsonObject session(Row row) {
    String waits = row.getString("wait_event");
    JsonArray blockedBy = new JsonArray();
    for (Integer pid : row.getArrayOfIntegers("blocked_by")) {
      blockedBy.add(pid);
    }
    return new JsonObject()
        .put("pid", row.getInteger("pid"))
        .put(
            "transaction_since", UtcInstant.format(row.getOffsetDateTime("xact_start").toInstant()))
        .put("state", row.getString("state"))
        .put("waits_for", waits == null ? null : row.getString("wait_event_type") + ": " + waits)
        .put("blocked_by", blockedBy)
        .put("blocks", row.getLong("blocks"))
        .put("user", row.getString("user_name"))
        .put("application", row.getString("application_name"))
        .put("address", row.getString("address"))
        .put("query", row.getString("query"));
  }

  private static JsonObject standby(Row row) {
    return new JsonObject()
        .put("application", row.getString("application_name"))
        .put("address", row.getString("address"))
        .put("state", row.getString("state"))
        .put("sync_state", row.getString("sync_state"))
        .put("replay_lag_seconds", row.getDouble("replay_lag_seconds"))
        .put("bytes_behind", row.getLong("bytes_behind"));
  }
}
