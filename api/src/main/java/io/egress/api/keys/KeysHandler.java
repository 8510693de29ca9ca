package io.egress.api.keys;

import io.egress.api.intake.Intake;
import io.egress.api.intake.NameBody;
import io.egress.document.UtcInstant;
import io.egress.http.Exchange;
import io.egress.http.PathIds;
import io.egress.http.Refusal;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import io.vertx.sqlclient.Pool;
import java.util.UUID;

/** Mints, lists and deletes the keys of a workspace. */
public final class KeysHandler {
  private static final String KEYS = "/internal/v1/workspaces/:workspace/api-keys";
  private static final int BODY_BYTES_MAX = 65_536;

  private final ApiKeyStore store;

  public KeysHandler(Pool pool) {
    this.store = new ApiKeyStore(pool);
  }

  public void mount(Router router) {
    router
        .post(KEYS)
        .handler(BodyHandler.create(false).setBodyLimit(BODY_BYTES_MAX))
        .handler(exchange -> answer(exchange, this::mint));
    router.get(KEYS).handler(exchange -> answer(exchange, this::list));
    router.delete(KEYS + "/:id").handler(exchange -> answer(exchange, this::delete));
  }

  private interface Call {
    Future<Void> of(RoutingContext exchange, UUID workspaceId);
  }

  private static void answer(RoutingContext exchange, Call call) {
    PathIds.uuid(exchange.pathParam("workspace"))
        .<Future<Void>>map(workspaceId -> call.of(exchange, workspaceId))
        .orElseGet(() -> Future.failedFuture(new Refusal(400, "the workspace id must be a UUID")))
        .onFailure(failure -> Exchange.fail(exchange, failure));
  }

  private Future<Void> mint(RoutingContext exchange, UUID workspaceId) {
    Intake<String> name = NameBody.key(body(exchange));
    if (name instanceof Intake.Refused<String> refused) {
      return Future.failedFuture(new Refusal(400, refused.faults().told()));
    }
    ApiKey key = ApiKey.mint();
    return store
        .add(workspaceId, ((Intake.Accepted<String>) name).value(), key)
        .map(
            minted -> {
              JsonObject body =
                  new JsonObject()
                      .put("id", minted.id().toString())
                      .put("name", minted.name())
                      .put("key", key.token())
                      .put("created_at", UtcInstant.format(minted.createdAt()));
              Exchange.sendJson(exchange, 201, body);
              return null;
            });
  }

  private static Buffer body(RoutingContext exchange) {
    Buffer body = exchange.body().buffer();
    return body == null ? Buffer.buffer() : body;
  }

  private Future<Void> list(RoutingContext exchange, UUID workspaceId) {
    return store
        .list(workspaceId)
        .map(
            keys -> {
              JsonArray shown = new JsonArray();
              keys.forEach(key -> shown.add(json(key)));
              Exchange.sendJson(exchange, 200, new JsonObject().put("api_keys", shown));
              return null;
            });
  }

  private Future<Void> delete(RoutingContext exchange, UUID workspaceId) {
    UUID id = PathIds.uuid(exchange.pathParam("id")).orElse(null);
    if (id == null) {
      return Future.failedFuture(new Refusal(400, "the key id must be a UUID"));
    }
    return store
        .delete(workspaceId, id)
        .compose(
            deleted ->
                deleted
                    ? exchange.response().setStatusCode(204).end()
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
