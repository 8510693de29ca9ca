package io.egress.bench.load;

import io.egress.platform.lifecycle.RunningProcess;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;

/**
 * The size of PostgreSQL's files and of its log.
 *
 * @param database size of the data files
 * @param writeAhead WAL written since the server was set up
 */
record StoredBytes(long database, long writeAhead) {
  private static final String LOOK =
      """
      select pg_database_size(current_database()) as database,
        (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint as write_ahead
      """;

  static StoredBytes now(Pool pool) {
    Row row = RunningProcess.await(pool.query(LOOK).execute()).iterator().next();
    return new StoredBytes(row.getLong("database"), row.getLong("write_ahead"));
  }

  StoredBytes since(StoredBytes before) {
    return new StoredBytes(database - before.database, writeAhead - before.writeAhead);
  }
}
