package io.egress.api.admin.endpoints;

import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.egress.webhook.endpoint.EndpointStore;
import io.egress.webhook.endpoint.SigningKey;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Publishes the keys that verify an endpoint's webhooks if they are signed by Ed25519, as a JSON
 * Web Key Set. Anybody may read it, so there is one statement at a time, for all who wait.
 */
public final class PublicKeys {
  private static final String CACHING = "public, max-age=60";
  private static final int WAITING_MAX = 1_000;

  private final Pool pool;
  private Map<UUID, Promise<List<SigningKey>>> waiting = new HashMap<>();
  private boolean reading;

  public PublicKeys(Pool pool) {
    this.pool = pool;
  }

  public void show(RoutingContext ctx) {
    Context context = ctx.vertx().getOrCreateContext();
    PathIds.uuid(ctx.pathParam("id"))
        .map(this::keys)
        .orElseGet(() -> Future.succeededFuture(List.of()))
        .onComplete(read -> context.runOnContext(_ -> answer(ctx, read)));
  }

  private static void answer(RoutingContext ctx, AsyncResult<List<SigningKey>> read) {
    if (read.failed()) {
      HttpExchange.fail(ctx, read.cause());
    } else if (read.result().isEmpty()) {
      HttpExchange.fail(
          ctx, new Refusal(404, "no endpoint with this id has webhooks signed by Ed25519"));
    } else {
      ctx.response().putHeader(HttpHeaders.CACHE_CONTROL, CACHING);
      HttpExchange.sendJson(ctx, 200, set(read.result()));
    }
  }

  private static JsonObject set(List<SigningKey> keys) {
    return new JsonObject()
        .put("keys", new JsonArray(keys.stream().map(SigningKey::toJwk).toList()));
  }

  private synchronized Future<List<SigningKey>> keys(UUID endpointId) {
    if (waiting.size() >= WAITING_MAX && !waiting.containsKey(endpointId)) {
      return Future.failedFuture(new Refusal(503, "too many ask for public keys, try again"));
    }
    Future<List<SigningKey>> keys =
        waiting.computeIfAbsent(endpointId, _ -> Promise.promise()).future();
    readNext();
    return keys;
  }

  private synchronized void readNext() {
    if (reading || waiting.isEmpty()) {
      return;
    }
    reading = true;
    Map<UUID, Promise<List<SigningKey>>> asked = waiting;
    waiting = new HashMap<>();
    EndpointStore.signingKeys(pool, asked.keySet())
        .onComplete(read -> {
          isFree();
          asked.forEach((id, promise) -> {
            if (read.succeeded()) {
              promise.complete(read.result().getOrDefault(id, List.of()));
            } else {
              promise.fail(read.cause());
            }
          });
        });
  }

  private synchronized void isFree() {
    reading = false;
    readNext();
  }
}
