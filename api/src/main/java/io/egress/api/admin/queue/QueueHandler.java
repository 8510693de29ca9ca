package io.egress.api.admin.queue;

import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.egress.webhook.queue.Rebuild;
import io.egress.webhook.queue.RebuildStore;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Shows the state of the queue with its newest rebuild, and requests one, which a dispatcher
 * carries out.
 */
public final class QueueHandler {
  private final Pool pool;

  public QueueHandler(Pool pool) {
    this.pool = pool;
  }

  public void show(RoutingContext ctx) {
    RebuildStore.newest(pool)
        .compose(newest ->
            RebuildStore.weaknesses(pool)
                .map(weaknesses ->
                    json(newest.orElse(null)).put("weaknesses", new JsonArray(weaknesses))))
        .onSuccess(shown -> HttpExchange.sendJson(ctx, 200, shown))
        .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  public void rebuild(RoutingContext ctx) {
    Caller caller;
    try {
      caller = Caller.ofApi(ctx);
    } catch (Refusal refusal) {
      HttpExchange.fail(ctx, refusal);
      return;
    }
    new Transactions(pool)
        .run(tx -> RebuildStore.begin(tx, Rebuild.Reason.REQUESTED, List.of(), caller))
        .onSuccess(begun -> HttpExchange.sendJson(ctx, 202, json(begun)))
        .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  private static JsonObject json(@Nullable Rebuild rebuild) {
    return new JsonObject().put("rebuild", rebuild == null ? null : fields(rebuild));
  }

  private static JsonObject fields(Rebuild rebuild) {
    return new JsonObject()
        .put("id", rebuild.id())
        .put("reason", rebuild.reason().word())
        .put("findings", new JsonArray(rebuild.findings()))
        .put("state", rebuild.state().word())
        .put("published", rebuild.published())
        .put("requested_at", rebuild.requestedAt())
        .put("next_due_at", rebuild.nextDueAt())
        .put("finished_at", rebuild.finishedAt());
  }
}
