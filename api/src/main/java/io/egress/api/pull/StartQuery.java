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

  private static final String CHANGES =
      """
      select p.position, case when p.position = 0 then 0 else change_mark(k.workspace_id, p.position) end as chain
      from api_keys k
        cross join lateral (
          select case when $2::timestamptz is null
            then coalesce((select number from change_heads where workspace_id = k.workspace_id), 0)
            else change_number_before(k.workspace_id, $2) end as position) p
      where k.hash = any($1) and (k.expires_at is null or k.expires_at > now())
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
