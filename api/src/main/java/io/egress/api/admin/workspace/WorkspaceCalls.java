package io.egress.api.admin.workspace;

import io.egress.api.intake.GivenBody;
import io.egress.platform.flow.Patience;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.RequestBody;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.UUID;

/**
 * Calls on the things of a workspace, whose id is the path parameter {@code workspace}. The thing's
 * id is {@code id}.
 */
public final class WorkspaceCalls {
  /**
   * A call on the collection. A {@link Refusal} that it throws or fails with becomes the response.
   */
  public interface OnAll {
    Future<Void> answer(RoutingContext ctx, UUID workspaceId);
  }

  /** A call on one thing of the collection. */
  public interface OnOne {
    Future<Void> answer(RoutingContext ctx, UUID workspaceId, UUID id);
  }

  private static final RequestBody.Limits BODY_LIMITS =
      new RequestBody.Limits(65_536, new Patience.Terms(Duration.ofSeconds(30), 1_024));
  private static final String BODY = WorkspaceCalls.class.getName();

  private WorkspaceCalls() {}

  /** The fields of a request that must have a body. */
  public static GivenBody given(RoutingContext ctx) {
    return GivenBody.of(body(ctx));
  }

  /** Empty if the request has no body. */
  public static Buffer body(RoutingContext ctx) {
    return ctx.get(BODY);
  }

  /** Reads the body first. */
  public static Handler<RoutingContext> withBody(Handler<RoutingContext> call) {
    return ctx ->
        new RequestBody(ctx, BODY_LIMITS)
            .read()
            .onSuccess(body -> {
              ctx.put(BODY, body);
              call.handle(ctx);
            })
            .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  public static Handler<RoutingContext> onAll(OnAll call) {
    return ctx ->
        id(ctx, "workspace", "workspace")
            .compose(workspaceId -> call.answer(ctx, workspaceId))
            .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  /** {@code thing} is its name in error messages. */
  public static Handler<RoutingContext> onOne(String thing, OnOne call) {
    return onAll((ctx, workspaceId) ->
        id(ctx, "id", thing).compose(id -> call.answer(ctx, workspaceId, id)));
  }

  private static Future<UUID> id(RoutingContext ctx, String parameter, String thing) {
    return PathIds.uuid(ctx.pathParam(parameter))
        .map(Future::succeededFuture)
        .orElseGet(
            () -> Future.failedFuture(new Refusal(400, "the " + thing + " id must be a UUID")));
  }
}
