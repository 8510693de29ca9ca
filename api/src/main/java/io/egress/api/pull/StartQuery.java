package io.egress.api.pull;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.keys.ApiKey;
import io.egress.platform.database.Rows;
import io.egress.transcript.stream.Cursor;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import java.util.Optional;

/**
 * Finds the place in a feed before what has entered it since an instant. The primary says it, so
 * nothing that is acknowledged after a request that starts now is before its place.
 */
final class StartQuery {
  private static final String CAPTURES =
      """
      select p.position, coalesce(s.chain, 0) as chain
      from api_keys k join workspaces w on w.id = k.workspace_id
        cross join lateral (
          select case when $2::timestamptz is null then w.stream_head
            else stream_position_before(w.id, $2) end as position) p
        left join stream s on s.workspace_id = w.id and s.position = p.position
      where k.hash = any($1) and (k.expires_at is null or k.expires_at > now())
      """;

  /** Halves what is left, as numbers have no index by time; those of newer changes are missing. */
  private static final String CHANGES =
      """
      with recursive access as (
        select k.workspace_id, coalesce(h.number, 0) as head
        from api_keys k left join change_heads h on h.workspace_id = k.workspace_id
        where k.hash = any($1) and (k.expires_at is null or k.expires_at > now())),
      search as (
        select workspace_id, case when $2::timestamptz is null then head else 0 end as low, head as high from access
        union all
        select s.workspace_id, case when c.is_before then c.number else s.low end,
          case when c.is_before then s.high else (s.low + s.high + 1) / 2 - 1 end
        from search s left join lateral (
          select number, changed_at < $2 as is_before from changes
          where workspace_id = s.workspace_id and number >= (s.low + s.high + 1) / 2 and number <= s.high
          order by number limit 1) c on true
        where s.low < s.high)
      select low as position, case when low = 0 then 0 else change_mark(workspace_id, low) end as chain
      from search where low = high
      """;

  private final Pool pool;

  /** {@code pool} leads to the primary. */
  StartQuery(Pool pool) {
    this.pool = pool;
  }

  /** Empty if the key is unknown or expired. */
  Future<Optional<Cursor>> place(ApiKey key, PageRequest request) {
    String statement =
        switch (request.feed()) {
          case CAPTURES -> CAPTURES;
          case CHANGES -> CHANGES;
        };
    return pool.preparedQuery(statement)
        .execute(Rows.parameters(key.hashes(), requireNonNull(request.start()).at()))
        .map(rows ->
            Rows.one(rows, row -> new Cursor(row.getLong("position"), row.getLong("chain"))));
  }
}
