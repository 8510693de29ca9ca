package io.egress.api.admin.deliveries;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.api.admin.replays.Replays;
import io.egress.api.intake.QueryValues;
import io.egress.platform.audit.Caller;
import io.egress.platform.http.HttpExchange;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Lists and shows the deliveries of a workspace. */
public final class DeliveriesHandler {
  private final DeliveryReads reads;
  private final SentBodies bodies;
  private final Replays replays;

  public DeliveriesHandler(DeliveryReads reads, SentBodies bodies, Replays replays) {
    this.bodies = bodies;
    this.reads = reads;
    this.replays = replays;
  }

  /** Deliveries to all endpoints. */
  public Future<Void> list(RoutingContext ctx, UUID workspaceId) {
    return reads.list(workspaceId, ctx.queryParams()).map(page -> send(ctx, page));
  }

  /** Deliveries to one endpoint. */
  public Future<Void> listOf(RoutingContext ctx, UUID workspaceId, UUID endpointId) {
    return reads.list(workspaceId, endpointId, ctx.queryParams()).map(page -> send(ctx, page));
  }

  private static @Nullable Void send(RoutingContext ctx, DeliveryReads.Listed page) {
    JsonArray shown = new JsonArray();
    page.deliveries().forEach(delivery -> shown.add(DeliveryView.of(delivery)));
    JsonObject pageInfo =
        new JsonObject().put("hasNextPage", page.next() != null).put("endCursor", page.next());
    HttpExchange.sendJson(
        ctx, 200, new JsonObject().put("deliveries", shown).put("pageInfo", pageInfo));
    return null;
  }

  /** Shows a delivery with its attempts, and on request with the body of one. */
  public Future<Void> show(RoutingContext ctx, UUID workspaceId, UUID id) {
    Integer attempt =
        QueryValues.one(
            ctx.queryParams(), "body", SentBodies::attempt, "must be the number of an attempt");
    return reads
        .one(workspaceId, id)
        .compose(told -> shown(told, attempt))
        .onSuccess(shown -> HttpExchange.sendJson(ctx, 200, shown))
        .mapEmpty();
  }

  private Future<JsonObject> shown(DeliveryReads.Told told, @Nullable Integer attempt) {
    JsonObject shown = DeliveryView.of(told);
    return attempt == null
        ? Future.succeededFuture(shown)
        : bodies
            .read(told, attempt)
            .map(body ->
                shown
                    .put("body", body.bytes().toString(UTF_8))
                    .put("is_body_verified", body.verified()));
  }

  /** Answers with the new delivery. */
  public Future<Void> redeliver(RoutingContext ctx, UUID workspaceId, UUID id) {
    Caller caller = Caller.ofApi(ctx);
    return reads
        .find(workspaceId, id)
        .compose(delivery ->
            replays
                .redeliver(caller, workspaceId, delivery)
                .map(replay -> {
                  HttpExchange.sendJson(ctx, 202, DeliveryView.redelivery(delivery, replay.id()));
                  return null;
                }));
  }
}
