package io.egress.api.admin.keys;

import io.egress.api.admin.workspace.Creations;
import io.egress.api.admin.workspace.WorkspaceCalls;
import io.egress.api.intake.KeyBody;
import io.egress.platform.audit.Caller;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.json.UtcInstant;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The internal API's calls for the keys of a workspace. */
public final class KeysHandler {
  private final ApiKeys keys;
  private final Creations creations;

  public KeysHandler(ApiKeys keys, Pool pool, @Nullable SecretBox secretBox) {
    this.keys = keys;
    this.creations = new Creations(pool, secretBox, "api-keys");
  }

  public Future<Void> mint(RoutingContext ctx, UUID workspaceId) {
    Caller caller = Caller.ofApi(ctx);
    KeyBody.NewKey key = KeyBody.read(WorkspaceCalls.given(ctx)).orRefuse();
    return creations.answer(
        ctx, workspaceId, tx -> keys.mint(tx, caller, workspaceId, key).map(KeysHandler::json));
  }

  public Future<Void> list(RoutingContext ctx, UUID workspaceId) {
    return keys.list(workspaceId)
        .map(all -> {
          JsonArray shown = new JsonArray();
          all.forEach(key -> shown.add(json(key)));
          HttpExchange.sendJson(ctx, 200, new JsonObject().put("api_keys", shown));
          return null;
        });
  }

  /** Changes when the key expires. */
  public Future<Void> change(RoutingContext ctx, UUID workspaceId, UUID id) {
    Caller caller = Caller.ofApi(ctx);
    KeyBody.Expiry expiry = KeyBody.expiry(WorkspaceCalls.given(ctx)).orRefuse();
    return keys.changeExpiry(caller, workspaceId, id, expiry)
        .onSuccess(changed -> HttpExchange.sendJson(ctx, 200, json(changed)))
        .mapEmpty();
  }

  public Future<Void> delete(RoutingContext ctx, UUID workspaceId, UUID id) {
    return keys.delete(Caller.ofApi(ctx), workspaceId, id)
        .compose(_ -> HttpExchange.endEmpty(ctx, 204));
  }

  private static JsonObject json(ApiKeys.Minted minted) {
    ApiKeys.Listed key = minted.key();
    return new JsonObject()
        .put("id", key.id().toString())
        .put("name", key.name())
        .put("key", minted.token().token())
        .put("created_at", UtcInstant.format(key.createdAt()))
        .put("expires_at", time(key.expiresAt()));
  }

  private static JsonObject json(ApiKeys.Listed key) {
    return new JsonObject()
        .put("id", key.id().toString())
        .put("name", key.name())
        .put("last_four", key.lastFour())
        .put("created_at", UtcInstant.format(key.createdAt()))
        .put("created_by", key.createdBy())
        .put("expires_at", time(key.expiresAt()))
        .put("last_used_at", time(key.lastUsedAt()));
  }

  private static @Nullable String time(@Nullable Instant instant) {
    return instant == null ? null : UtcInstant.format(instant);
  }
}
