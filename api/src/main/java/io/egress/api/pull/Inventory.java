package io.egress.api.pull;

import io.egress.api.admin.keys.ApiKey;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Lists every capture that can be read, in stream order, a chunk of positions at a time. */
final class Inventory {
  /** Positions of a chunk. */
  static final int CHUNK_POSITIONS = 5_000;

  /** Of the lines of a chunk that is sent, and of the next one. */
  static final int CHUNKS_BYTES = 2 * CHUNK_POSITIONS * 128;

  /**
   * The database writes the lines: to read a million rows would cost more than everything else. An
   * erased capture of the stream is in its changes.
   */
  private static final String CHUNK =
      """
      with access as (
        select k.id as key_id, k.workspace_id, k.filter, w.stream_head, w.stream_chain
        from api_keys k join workspaces w on w.id = k.workspace_id
        where k.hash = any($1) and (k.expires_at is null or k.expires_at > now()))
      select a.key_id, a.stream_head, a.stream_chain, count(s.position) as captures,
        coalesce(string_agg(
          '{"id":"' || s.capture_id || '","position":' || s.position || ',"changed_at":'
            || coalesce('"' || to_char(s.changed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS') || 'Z"', 'null')
            || E'}\n', '' order by s.position), '') as lines
      from access a left join lateral (
        select s.position, s.capture_id, c.changed_at
        from stream s left join changes c on c.capture_id = s.capture_id
        where s.workspace_id = a.workspace_id and s.position > $2 and s.position <= $3 and c.erased is not true
          and (a.filter is null or wants(a.filter, s))
        ) s on true
      group by 1, 2, 3
      """;

  /**
   * A part of the list.
   *
   * @param head the newest position of the stream, and its chain value
   */
  record Chunk(UUID keyId, @Nullable Long head, @Nullable Long chain, int captures, String lines) {}

  private final Pool pool;

  Inventory(Pool pool) {
    this.pool = pool;
  }

  /** Empty if the key is unknown or expired. */
  Future<Optional<Chunk>> between(ApiKey key, long above, long upTo) {
    return pool.preparedQuery(CHUNK)
        .execute(Tuple.of(key.hashes(), above, upTo))
        .map(Inventory::chunk);
  }

  private static Optional<Chunk> chunk(RowSet<Row> rows) {
    if (rows.size() == 0) {
      return Optional.empty();
    }
    Row row = rows.iterator().next();
    return Optional.of(
        new Chunk(
            row.getUUID("key_id"),
            row.getLong("stream_head"),
            row.getLong("stream_chain"),
            row.getInteger("captures"),
            row.getString("lines")));
  }
}
