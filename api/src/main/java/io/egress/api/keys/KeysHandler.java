package io.egress.api.keys;

import io.egress.api.intake.NameBody;
import io.egress.api.workspace.Creations;
import io.egress.api.workspace.WorkspaceCalls;
import io.egress.document.UtcInstant;
import io.egress.endpoint.SecretBox;
import io.egress.http.HttpExchange;
import io.egress.http.Refusal;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Mints, lists and deletes the keys of a workspace. */
public final class KeysHandler {
  private final ApiKeyStore store;
  private final Creations creations;

  public KeysHandler(Pool pool, @Nullable SecretBox secretBox) {
    this.store = new ApiKeyStore(pool);
    this.creations = new Creations(pool, secretBox, "api-keys");
  }

  public Future<Void> mint(RoutingContext exchange, UUID workspaceId) {
    String name = NameBody.key(WorkspaceCalls.body(exchange)).orRefuse();
    ApiKey key = ApiKey.mint();
    return creations.answer(
        exchange,
        workspaceId,
        tx ->
            ApiKeyStore.add(tx, workspaceId, name, key)
                .map(
                    minted ->
                        new JsonObject()
                            .put("id", minted.id().toString())
                            .put("name", minted.name())
                            .put("key", key.token())
                            .put("created_at", UtcInstant.format(minted.createdAt()))));
  }

  public Future<Void> list(RoutingContext exchange, UUID workspaceId) {
    return store
        .list(workspaceId)
        .map(
            keys -> {
              JsonArray shown = new JsonArray();
              keys.forEach(key -> shown.add(json(key)));
              HttpExchange.sendJson(exchange, 200, new JsonObject().put("api_keys", shown));
              return null;
            });
  }

  public Future<Void> delete(RoutingContext exchange, UUID workspaceId, UUID id) {
    return store
        .delete(workspaceId, id)
        .compose(
            deleted ->
                deleted
                    ? HttpExchange.endEmpty(exchange, 204)
                    : Future.failedFuture(new Refusal(404, "no such key in this workspace")));
  }

  private static JsonObject json(ApiKeyStore.Shown key) {
    return new JsonObject()
        .put("id", key.id().toString())
        .put("name", key.name())
        .put("last_four", key.lastFour())
        .put("created_at", UtcInstant.format(key.createdAt()))
        .put("last_used_at", key.lastUsedAt() == null ? null : UtcInstant.format(key.lastUsedAt()));
  }
}
