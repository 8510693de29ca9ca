package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.transcript.document.Fragment;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * No statement reads a large table whole, whatever the tables held when it was planned: everything
 * runs while tables are empty, once more after they were analyzed so, and then on large ones that
 * nobody but the service analyzes.
 */
@Tag("full")
class PlansTest {
  private static final int ROWS = 30_000;
  private static final int TIMES = 6;

  private final Map<String, String> environment = BothRoles.environment();
  private final Vertx vertx = Vertx.vertx();
  private final Pool database =
      PgBuilder.pool()
          .connectingTo(PgConnectOptions.fromUri(environment.get("EGRESS_DATABASE_URL")))
          .with(new PoolOptions().setMaxSize(2))
          .using(vertx)
          .build();

  @AfterEach
  void close() {
    done(vertx.close());
  }

  @Test
  void plansMadeForEmptyTablesAreNotKeptForLargeOnes() {
    UUID large = UUID.randomUUID();
    Map<String, Long> before;
    Map<String, Long> sizes;
    try (TenantWorld roles = new TenantWorld(environment)) {
      TenantWorld.Tenant small = roles.tenant(UUID.randomUUID());
      roles.endpoint(small.workspace(), "flaky", false);
      passThrough(roles, small, TIMES);
      query("analyze");
      passThrough(roles, small, TIMES);

      fill(large);
      await().until(roles::isReady);
      before = tables(READ_IN_SEQUENCE);
      sizes = tables(SIZES);
      TenantWorld.Tenant grown = roles.tenant(large);
      roles.endpoint(grown.workspace(), "flaky", false);
      roles.endpoint(small.workspace(), "history", true);
      passThrough(roles, small, TIMES);
      UUID last = passThrough(roles, grown, TIMES);
      await().until(() -> roles.isDelivered("flaky", last));
      await().until(() -> roles.isDelivered("history", first(small)));
      await().until(() -> isEmpty("outbox"));
    }

    await().until(() -> number(SESSIONS) == 0);
    Map<String, Long> read = tables(READ_IN_SEQUENCE);
    before.forEach((table, already) -> read.merge(table, -already, Long::sum));
    // What runs by itself may read a table once or twice before the service has analyzed it.
    sizes.forEach((table, rows) -> read.merge(table, -TIMES / 2 * rows, Long::sum));
    read.values().removeIf(tuples -> tuples <= 0);
    assertThat(read).isEmpty();
  }

  /** Their counts are complete when they end. */
  private static final String SESSIONS =
      """
      select count(*) from pg_stat_activity
      where datname = current_database() and application_name = 'egress'
      """;

  private static UUID passThrough(TenantWorld roles, TenantWorld.Tenant tenant, int times) {
    UUID last = roles.passThrough(tenant);
    for (int i = 1; i < times; i++) {
      last = roles.passThrough(tenant);
      roles.lookAtThePage(tenant);
    }
    return last;
  }

  private UUID first(TenantWorld.Tenant tenant) {
    return query(
            "select capture_id from stream where position = 1 and workspace_id = '%s'"
                .formatted(tenant.workspace()))
        .iterator()
        .next()
        .getUUID(0);
  }

  /** What the delivery log need not know is older than it remembers. */
  private void fill(UUID large) {
    query(fillWith(large));
    await().until(() -> number(UNKNOWN_TO_THE_PLANNER) == 0);
  }

  private static final String UNKNOWN_TO_THE_PLANNER =
      """
      select count(*) from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace
        and (pg_relation_size(oid) > 3 * 8192 * (relpages + 8) or pg_stat_get_live_tuples(oid) > 3 * (reltuples + 1000))
      """;

  /** It can be rendered again. */
  private static final Fragment STALE =
      Fragment.deflate(
          """
          {"summary":null,"participants":[{"label":"S1","speech_ms":0}],"segments":[]\
          """
              .getBytes(UTF_8));

  private static String fillWith(UUID large) {
    return """
    set session_replication_role = replica;
    create temp table n as
      select n, md5('w' || n)::uuid as id, case when n %% 2 = 0 then '%1$s' else md5('w' || n)::uuid end as ws
      from generate_series(1, %2$d) n;
    insert into workspaces (id) select id from n;
    insert into workspaces (id, stream_head) values ('%1$s', %2$d / 2);
    insert into devices (workspace_id, id, name) select ws, id, 'd' from n;
    insert into members (workspace_id, id, name) select ws, id, 'm' from n;
    insert into captures (id, workspace_id, device_id, mode, started_at, speakers, members, digest, entered)
      select id, ws, id, 'manual', now(), '{}', array[id], '', true from n;
    insert into documents (capture_id, revision, renderer, length, crc32, checksum, deflated)
      select id, 1, 0, %3$d, %4$d, %5$d, '\\x%6$s' from n;
    insert into stream (workspace_id, position, capture_id, chain, entered_at)
      select ws, n / 2, id, 0, now() - interval '50 days' from n where n %% 2 = 0;
    insert into stream (workspace_id, position, capture_id, chain, entered_at)
      select ws, 1, id, 0, now() - interval '50 days' from n where n %% 2 = 1;
    insert into outbox (workspace_id, position, capture_id, entered_at)
      select id, 1, id, now() + interval '5 seconds' from n where n %% 10 = 0;
    insert into api_keys (id, workspace_id, name, hash, last_four)
      select id, id, 'k', uuid_send(id), 'last' from n;
    insert into endpoints (id, workspace_id, spec, secret, created_position, full_history, deleted_at)
      select id, ws, '{"url":"https://a.example/"}', '', 0, false, now() from n;
    insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position, finished_at)
      select id, id, 'replay', 1, 1, 1, now() from n;
    insert into reconciliations (endpoint_id, position, checked_at) select id, 0, 'infinity' from n;
    insert into deliveries (day, id, endpoint_id, capture_id, position, origin, state, attempts, owed_at)
      select (now() at time zone 'UTC')::date, id, id, id, 1, 'live', 'delivered', 1, now() from n;
    insert into attempts (day, delivery_id, attempt, started_at, duration_ms, outcome)
      select (now() at time zone 'UTC')::date, id, 1, now(), 1, 'delivered' from n;
    insert into endpoint_hours (endpoint_id, hour, pending, delivered, exhausted, skipped, succeeded, failed, failures,
        newest, last_success_at)
      select id, date_trunc('hour', now()), 0, 1, 0, 0, 1, 0, '{}', '1', now() from n;
    reset session_replication_role
    """
        .formatted(
            large,
            ROWS,
            STALE.length(),
            STALE.crc32(),
            STALE.checksum(),
            HexFormat.of().formatHex(STALE.deflated().getBytes()));
  }

  private static final String READ_IN_SEQUENCE =
      "select relname, seq_tup_read from pg_stat_user_tables where schemaname = 'public'";

  /** Of small tables much may be read. */
  private static final String SIZES =
      """
      select relname, greatest(reltuples, %d)::bigint from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace
      """
          .formatted(ROWS / 10);

  private Map<String, Long> tables(String sql) {
    Map<String, Long> numbers = new TreeMap<>();
    query(sql).forEach(row -> numbers.put(row.getString(0), row.getLong(1)));
    return numbers;
  }

  private boolean isEmpty(String table) {
    return query("select from %s order by sequence limit 1".formatted(table)).size() == 0;
  }

  private long number(String sql) {
    return query(sql).iterator().next().getLong(0);
  }

  private RowSet<Row> query(String sql) {
    return done(database.query(sql).execute());
  }
}
