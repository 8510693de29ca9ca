package io.egress.api.admin.signing;

import io.egress.platform.http.HttpExchange;
import io.egress.webhook.endpoint.SigningKey;
import io.egress.webhook.endpoint.SigningKeyStore;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the keys that verify webhooks signed by Ed25519, as a JSON Web Key Set. Anybody may
 * read it, so the database is asked once a second at most.
 */
public final class PublicKeys {
  private static final long KEPT_NANOS = Duration.ofSeconds(1).toNanos();
  private static final String CACHING = "public, max-age=60";

  private record Read(Future<List<SigningKey>> keys, long nanos) {}

  private final Pool pool;
  private volatile @Nullable Read last;

  public PublicKeys(Pool pool) {
    this.pool = pool;
  }

  public void show(RoutingContext ctx) {
    keys()
        .onSuccess(keys -> {
          ctx.response().putHeader(HttpHeaders.CACHE_CONTROL, CACHING);
          HttpExchange.sendJson(ctx, 200, set(keys));
        })
        .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  private static JsonObject set(List<SigningKey> keys) {
    return new JsonObject()
        .put("keys", new JsonArray(keys.stream().map(SigningKey::toJwk).toList()));
  }

  private Future<List<SigningKey>> keys() {
    Read read = last;
    long now = System.nanoTime();
    if (read == null || read.keys().failed() || now - read.nanos() > KEPT_NANOS) {
      read = new Read(SigningKeyStore.list(pool), now);
      last = read;
    }
    return read.keys();
  }
}
