package io.egress.api.admin.operator;

import io.egress.api.admin.deliveries.DeliveryReads;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointStore;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** Shows a capture of whatever workspace, and what became of it at each endpoint. */
public final class CapturesHandler {
  private final CaptureFinder captures;
  private final EndpointStore endpoints;
  private final DeliveryReads deliveries;

  public CapturesHandler(CaptureFinder captures, Pool pool, DeliveryReads deliveries) {
    this.captures = captures;
    this.endpoints = new EndpointStore(pool);
    this.deliveries = deliveries;
  }

  public void find(RoutingContext ctx) {
    PathIds.uuid(ctx.pathParam("id"))
        .map(captures::find)
        .orElseGet(
            () -> Future.failedFuture(new Refusal(400, "the id of the capture must be a UUID")))
        .map(
            found -> found.orElseThrow(() -> new Refusal(404, "no such capture: it was never put")))
        .compose(this::withDeliveries)
        .onSuccess(found -> HttpExchange.sendJson(ctx, 200, found))
        .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  private Future<JsonObject> withDeliveries(FoundCapture capture) {
    UUID workspaceId = capture.workspaceId();
    return endpoints
        .list(workspaceId)
        .compose(all ->
            deliveries
                .ofCapture(workspaceId, all, capture.id())
                .map(found -> capture.json().put("endpoints", endpoints(all, found))));
  }

  private static JsonArray endpoints(List<Endpoint> all, List<LoggedDelivery> deliveries) {
    Map<UUID, List<LoggedDelivery>> byEndpoint =
        deliveries.stream().collect(Collectors.groupingBy(LoggedDelivery::endpointId));
    JsonArray shown = new JsonArray();
    for (Endpoint endpoint : all) {
      JsonArray own = new JsonArray();
      byEndpoint.getOrDefault(endpoint.id(), List.of()).forEach(each -> own.add(json(each)));
      shown.add(
          new JsonObject()
              .put("endpoint_id", endpoint.id().toString())
              .put("url", endpoint.url())
              .put("description", endpoint.description())
              .put("paused", endpoint.paused())
              .put("deliveries", own));
    }
    return shown;
  }

  private static JsonObject json(LoggedDelivery delivery) {
    return new JsonObject()
        .put("id", delivery.id().toString())
        .put("origin", delivery.origin().word())
        .put("state", delivery.state().word())
        .put("attempts", delivery.attempts())
        .put("last_outcome", delivery.lastOutcome());
  }
}
