package io.egress.api.workspace;

import static java.util.Objects.requireNonNull;

import io.egress.flow.Patience;
import io.egress.http.HttpExchange;
import io.egress.http.PathIds;
import io.egress.http.Refusal;
import io.egress.http.RequestBody;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.UUID;

/** Calls on one collection of things below {@code /internal/v1/workspaces/{workspace}}. */
public final class WorkspaceCalls {
  /** A call on the collection. A {@link Refusal}, thrown or failed with, is its answer. */
  public interface OnAll {
    Future<Void> answer(RoutingContext exchange, UUID workspaceId);
  }

  /** A call on one thing of the collection. */
  public interface OnOne {
    Future<Void> answer(RoutingContext exchange, UUID workspaceId, UUID id);
  }

  private static final RequestBody.Limits BODY_LIMITS =
      new RequestBody.Limits(65_536, new Patience.Terms(Duration.ofSeconds(30), 1_024));
  private static final String BODY = WorkspaceCalls.class.getName();

  private final Router router;
  private final String path;
  private final String thing;

  /** {@code thing} is what refusals call one of the {@code collection}. */
  public WorkspaceCalls(Router router, String collection, String thing) {
    this.router = requireNonNull(router, "router is null");
    this.path = "/internal/v1/workspaces/:workspace/" + collection;
    this.thing = requireNonNull(thing, "thing is null");
  }

  public void list(OnAll call) {
    HttpExchange.get(router, path).handler(onAll(call));
  }

  public void create(OnAll call) {
    withBody(router.post(path)).handler(onAll(call));
  }

  public void show(OnOne call) {
    HttpExchange.get(router, path + "/:id").handler(onOne(call));
  }

  public void change(OnOne call) {
    withBody(router.patch(path + "/:id")).handler(onOne(call));
  }

  public void delete(OnOne call) {
    router.delete(path + "/:id").handler(onOne(call));
  }

  /** Empty where the request has none. */
  public static Buffer body(RoutingContext exchange) {
    return exchange.get(BODY);
  }

  private static Route withBody(Route route) {
    return route.handler(
        exchange ->
            new RequestBody(exchange.vertx(), exchange.request(), BODY_LIMITS)
                .read()
                .onSuccess(
                    body -> {
                      exchange.put(BODY, body);
                      exchange.next();
                    })
                .onFailure(failure -> HttpExchange.fail(exchange, failure)));
  }

  private static Handler<RoutingContext> onAll(OnAll call) {
    return exchange ->
        id(exchange, "workspace", "workspace")
            .compose(workspaceId -> call.answer(exchange, workspaceId))
            .onFailure(failure -> HttpExchange.fail(exchange, failure));
  }

  private Handler<RoutingContext> onOne(OnOne call) {
    return onAll(
        (exchange, workspaceId) ->
            id(exchange, "id", thing).compose(id -> call.answer(exchange, workspaceId, id)));
  }

  private static Future<UUID> id(RoutingContext exchange, String parameter, String thing) {
    return PathIds.uuid(exchange.pathParam(parameter))
        .map(Future::succeededFuture)
        .orElseGet(
            () -> Future.failedFuture(new Refusal(400, "the " + thing + " id must be a UUID")));
  }
}
