package io.egress.api.keys;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A workspace's keys; of the token itself only a hash is kept. */
final class ApiKeyStore {
  /** A key as it may be shown. */
  record Shown(
      UUID id, String name, String lastFour, Instant createdAt, @Nullable Instant lastUsedAt) {}

  private static final String ADD =
      """
      insert into api_keys (id, workspace_id, name, hash, last_four) values ($1, $2, $3, $4, $5)
      returning id, name, last_four, created_at, last_used_at
      """;
  private static final String LIST =
      """
      select id, name, last_four, created_at, last_used_at
      from api_keys where workspace_id = $1 order by created_at, id
      """;
  private static final String DELETE = "delete from api_keys where workspace_id = $1 and id = $2";

  private final Pool pool;

  ApiKeyStore(Pool pool) {
    this.pool = requireNonNull(pool, "pool is null");
  }

  /** The workspace must exist. */
  static Future<Shown> add(SqlConnection transaction, UUID workspaceId, String name, ApiKey key) {
    return transaction
        .preparedQuery(ADD)
        .execute(
            Tuple.of(
                UUID.randomUUID(), workspaceId, name, Buffer.buffer(key.hash()), key.lastFour()))
        .map(rows -> shown(rows.iterator().next()));
  }

  Future<List<Shown>> list(UUID workspaceId) {
    return pool.preparedQuery(LIST)
        .execute(Tuple.of(workspaceId))
        .map(
            rows -> {
              List<Shown> keys = new ArrayList<>(rows.size());
              rows.forEach(row -> keys.add(shown(row)));
              return keys;
            });
  }

  /** Whether there was such a key. */
  Future<Boolean> delete(UUID workspaceId, UUID id) {
    return pool.preparedQuery(DELETE)
        .execute(Tuple.of(workspaceId, id))
        .map(rows -> rows.rowCount() > 0);
  }

  private static Shown shown(Row row) {
    OffsetDateTime lastUsed = row.getOffsetDateTime("last_used_at");
    return new Shown(
        row.getUUID("id"),
        row.getString("name"),
        row.getString("last_four"),
        row.getOffsetDateTime("created_at").toInstant(),
        lastUsed == null ? null : lastUsed.toInstant());
  }
}
