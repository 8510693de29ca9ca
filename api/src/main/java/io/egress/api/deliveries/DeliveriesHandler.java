package io.egress.api.deliveries;

import static java.util.Objects.requireNonNull;

import io.egress.api.replays.Replays;
import io.egress.audit.Caller;
import io.egress.deliverylog.LogDays;
import io.egress.deliverylog.LoggedDeliveries;
import io.egress.deliverylog.LoggedDelivery;
import io.egress.endpoint.Endpoint;
import io.egress.endpoint.EndpointStore;
import io.egress.http.HttpExchange;
import io.egress.http.Refusal;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.util.List;
import java.util.UUID;

/** Lists and shows the deliveries of a workspace. */
public final class DeliveriesHandler {
  private final EndpointStore endpoints;
  private final LoggedDeliveries log;
  private final DeliverySearch search;
  private final Replays replays;

  public DeliveriesHandler(Pool pool, LogDays days, Replays replays) {
    requireNonNull(pool, "pool is null");
    this.endpoints = new EndpointStore(pool);
    this.log = new LoggedDeliveries(pool, days);
    this.search = new DeliverySearch(pool, log);
    this.replays = requireNonNull(replays, "replays is null");
  }

  /** To all endpoints. */
  public Future<Void> list(RoutingContext exchange, UUID workspaceId) {
    DeliveryQuestion question = DeliveryQuestion.from(exchange.queryParams());
    return endpoints.list(workspaceId).compose(all -> list(exchange, workspaceId, all, question));
  }

  /** To one endpoint. */
  public Future<Void> listOf(RoutingContext exchange, UUID workspaceId, UUID endpointId) {
    DeliveryQuestion question = DeliveryQuestion.from(exchange.queryParams());
    return endpoints
        .show(workspaceId, endpointId)
        .compose(
            found ->
                list(
                    exchange,
                    workspaceId,
                    List.of(
                        found.orElseThrow(
                            () -> new Refusal(404, "no such endpoint in this workspace"))),
                    question));
  }

  private Future<Void> list(
      RoutingContext exchange,
      UUID workspaceId,
      List<Endpoint> ofEndpoints,
      DeliveryQuestion question) {
    return search
        .page(workspaceId, ofEndpoints, question)
        .map(
            page -> {
              JsonArray shown = new JsonArray();
              page.deliveries().forEach(delivery -> shown.add(DeliveryView.of(delivery)));
              DeliveryPlace next = page.next();
              JsonObject pageInfo =
                  new JsonObject()
                      .put("hasNextPage", next != null)
                      .put("endCursor", next == null ? null : next.encode());
              HttpExchange.sendJson(
                  exchange,
                  200,
                  new JsonObject().put("deliveries", shown).put("pageInfo", pageInfo));
              return null;
            });
  }

  /** With its attempts. */
  public Future<Void> show(RoutingContext exchange, UUID workspaceId, UUID id) {
    return find(workspaceId, id)
        .compose(
            delivery ->
                log.attempts(id)
                    .map(
                        attempts -> {
                          HttpExchange.sendJson(exchange, 200, DeliveryView.of(delivery, attempts));
                          return null;
                        }));
  }

  /** Answers with the delivery that is to come. */
  public Future<Void> redeliver(RoutingContext exchange, UUID workspaceId, UUID id) {
    Caller caller = Caller.ofApi(exchange);
    return find(workspaceId, id)
        .compose(
            delivery ->
                replays
                    .redeliver(caller, workspaceId, delivery)
                    .map(
                        replay -> {
                          HttpExchange.sendJson(
                              exchange, 202, DeliveryView.redelivery(delivery, replay.id()));
                          return null;
                        }));
  }

  private Future<LoggedDelivery> find(UUID workspaceId, UUID id) {
    return endpoints
        .list(workspaceId)
        .compose(all -> search.one(workspaceId, all, id))
        .map(
            found ->
                found.orElseThrow(() -> new Refusal(404, "no such delivery in this workspace")));
  }
}
