package io.egress.api.pull;

import io.egress.api.admin.keys.ApiKey;
import io.egress.platform.flow.LatestUsed;
import io.egress.platform.http.Refusal;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The workspaces of keys, before anything is done for them. A key that was found is remembered,
 * because the statements that read for it check it again; {@link #forget} is for what these find.
 */
final class KnownKeys {
  private static final int REMEMBERED_MAX = 10_000;

  private static final String FIND =
      "select workspace_id from api_keys where hash = any($1) and (expires_at is null or expires_at > now())";

  private final Pool pool;
  private final Map<ApiKey, UUID> remembered = new LatestUsed<>(REMEMBERED_MAX);

  KnownKeys(Pool pool) {
    this.pool = pool;
  }

  /** Fails with {@link Refusal} if the key is unknown or expired. */
  Future<UUID> workspaceOf(ApiKey key) {
    UUID known = remembered(key);
    return known == null ? find(key) : Future.succeededFuture(known);
  }

  /** The same, of a key that may have ended since it was found. */
  Future<UUID> find(ApiKey key) {
    return pool.preparedQuery(FIND)
        .execute(Tuple.of(key.hashes()))
        .map(rows -> {
          if (rows.size() == 0) {
            forget(key);
            throw unknown();
          }
          UUID workspaceId = rows.iterator().next().getUUID("workspace_id");
          remember(key, workspaceId);
          return workspaceId;
        });
  }

  private synchronized @Nullable UUID remembered(ApiKey key) {
    return remembered.get(key);
  }

  private synchronized void remember(ApiKey key, UUID workspaceId) {
    remembered.put(key, workspaceId);
  }

  synchronized void forget(ApiKey key) {
    remembered.remove(key);
  }

  static Refusal unknown() {
    return new Refusal(401, "missing, unknown, deleted or expired API key");
  }
}
