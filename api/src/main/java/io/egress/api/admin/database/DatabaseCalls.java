package io.egress.api.admin.database;

import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.platform.database.DatabaseUrl;
import io.egress.platform.database.Rows;
import io.egress.platform.database.ServerReach;
import io.egress.platform.http.Refusal;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows why PostgreSQL is slow or takes no writes: what kind of server it is, who waits for whom,
 * and how far its standbys are.
 */
public final class DatabaseCalls {
  private static final Logger log = LoggerFactory.getLogger(DatabaseCalls.class);

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

  private static final String FILLING =
      """
      select f.filled, greatest(f.filled, c.reltuples::bigint) as captures
      from trait_filling f join pg_class c on c.oid = 'stream'::regclass where not f.complete
      """;

  private record Diagnosis(
      Server server,
      Connections connections,
      @Nullable Filling filling,
      List<Session> sessions,
      List<Standby> standbys) {}

  /**
   * How far the background is that records what captures were when they entered the stream, for
   * keys with filters.
   *
   * @param of about as many as there are
   */
  private record Filling(long done, long of) {}

  private record Server(String version, boolean inRecovery, boolean readOnly) {}

  private record Connections(long used, int max) {}

  private record Session(
      int pid,
      Instant transactionSince,
      @Nullable String state,
      @Nullable String waitsFor,
      List<Integer> blockedBy,
      long blocks,
      @Nullable String user,
      @Nullable String application,
      @Nullable String address,
      @Nullable String query) {}

  private record Standby(
      @Nullable String application,
      @Nullable String address,
      @Nullable String state,
      @Nullable String syncState,
      @Nullable Double replayLagSeconds,
      @Nullable Long bytesBehind) {}

  private static final Duration ANSWER_MAX = Duration.ofSeconds(3);

  private final Pool pool;
  private final Pool any;
  private final List<DatabaseUrl.Host> hosts;
  private final BooleanSupplier isKnownToBeAway;

  /**
   * Reads from one of two pools.
   *
   * @param any leads to whatever server answers, if that of {@code pool} cannot be read
   * @param hosts where servers may be
   * @param isKnownToBeAway whether no server answers, so that none is asked
   */
  public DatabaseCalls(
      Pool pool, Pool any, List<DatabaseUrl.Host> hosts, BooleanSupplier isKnownToBeAway) {
    this.pool = pool;
    this.any = any;
    this.hosts = List.copyOf(hosts);
    this.isKnownToBeAway = isKnownToBeAway;
  }

  public Answer show(Call unused) {
    if (!isKnownToBeAway.getAsBoolean()) {
      for (Pool each : List.of(pool, any)) {
        try {
          return Answer.ok(read(each));
        } catch (Exception unreadable) {
          log.debug("Cannot read the state of the database: {}", unreadable.toString());
        }
      }
    }
    throw new Refusal(
        503,
        "PostgreSQL answers no query: "
            + hosts.stream().map(ServerReach::of).collect(Collectors.joining("; ")));
  }

  private static Diagnosis read(Pool pool) throws Exception {
    Row server =
        pool.query(SERVER)
            .execute()
            .await(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS)
            .iterator()
            .next();
    return new Diagnosis(
        new Server(
            server.getString("version"),
            server.getBoolean("in_recovery"),
            server.getBoolean("read_only")),
        new Connections(server.getLong("connections"), server.getInteger("connections_max")),
        Rows.one(
                pool.query(FILLING).execute().await(),
                row -> new Filling(row.getLong("filled"), row.getLong("captures")))
            .orElse(null),
        Rows.list(pool.query(SESSIONS).execute().await(), DatabaseCalls::session),
        Rows.list(pool.query(STANDBYS).execute().await(), DatabaseCalls::standby));
  }

  private static Session session(Row row) {
    String waits = row.getString("wait_event");
    return new Session(
        row.getInteger("pid"),
        Rows.instant(row, "xact_start"),
        row.getString("state"),
        waits == null ? null : row.getString("wait_event_type") + ": " + waits,
        List.of(row.getArrayOfIntegers("blocked_by")),
        row.getLong("blocks"),
        row.getString("user_name"),
        row.getString("application_name"),
        row.getString("address"),
        row.getString("query"));
  }

  private static Standby standby(Row row) {
    return new Standby(
        row.getString("application_name"),
        row.getString("address"),
        row.getString("state"),
        row.getString("sync_state"),
        row.getDouble("replay_lag_seconds"),
        row.getLong("bytes_behind"));
  }
}
