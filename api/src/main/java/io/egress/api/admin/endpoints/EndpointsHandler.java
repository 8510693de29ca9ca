package io.egress.api.admin.endpoints;

import io.egress.api.admin.deliveries.AttemptView;
import io.egress.api.admin.workspace.Creations;
import io.egress.api.admin.workspace.WorkspaceCalls;
import io.egress.api.intake.EndpointBody;
import io.egress.api.intake.GivenBody;
import io.egress.platform.audit.Caller;
import io.egress.platform.http.HttpExchange;
import io.egress.transcript.capture.SampleCapture;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.send.PushSettings;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The internal API's calls for the endpoints of a workspace. */
public final class EndpointsHandler {
  private final Endpoints endpoints;
  private final TestSend testSend;
  private final Pool pool;
  private final Creations creations;
  private final EndpointBody bodies;
  private final @Nullable SecretBox secretBox;

  public EndpointsHandler(
      Endpoints endpoints, TestSend testSend, Pool pool, PushSettings settings) {
    this.endpoints = endpoints;
    this.testSend = testSend;
    this.pool = pool;
    this.creations = new Creations(pool, settings.secretBox(), "endpoints");
    this.bodies = new EndpointBody(settings.allowHttpEndpoints(), settings.addressPolicy());
    this.secretBox = settings.secretBox();
  }

  public Future<Void> create(RoutingContext ctx, UUID workspaceId) {
    Caller caller = Caller.ofApi(ctx);
    NewEndpoint endpoint = bodies.creation(WorkspaceCalls.given(ctx)).orRefuse();
    return creations.answer(
        ctx,
        workspaceId,
        tx -> endpoints.create(tx, caller, workspaceId, endpoint).map(EndpointView::of));
  }

  public Future<Void> list(RoutingContext ctx, UUID workspaceId) {
    return endpoints
        .list(workspaceId)
        .map(all -> {
          JsonArray shown = new JsonArray();
          all.forEach(endpoint -> shown.add(EndpointView.of(endpoint)));
          HttpExchange.sendJson(ctx, 200, new JsonObject().put("endpoints", shown));
          return null;
        });
  }

  public Future<Void> show(RoutingContext ctx, UUID workspaceId, UUID id) {
    return endpoints
        .show(workspaceId, id)
        .map(endpoint -> {
          HttpExchange.sendJson(ctx, 200, EndpointView.of(endpoint));
          return null;
        });
  }

  public Future<Void> change(RoutingContext ctx, UUID workspaceId, UUID id) {
    Caller caller = Caller.ofApi(ctx);
    EndpointChange change = bodies.change(WorkspaceCalls.given(ctx)).orRefuse();
    return endpoints
        .change(caller, workspaceId, id, change)
        .map(endpoint -> {
          HttpExchange.sendJson(ctx, 200, EndpointView.of(endpoint));
          return null;
        });
  }

  public Future<Void> delete(RoutingContext ctx, UUID workspaceId, UUID id) {
    return endpoints
        .delete(Caller.ofApi(ctx), workspaceId, id)
        .compose(_ -> HttpExchange.endEmpty(ctx, 204));
  }

  /** Answers with the new secret, which is shown only this once. */
  public Future<Void> rotateSecret(RoutingContext ctx, UUID workspaceId, UUID id) {
    Caller caller = Caller.ofApi(ctx);
    Duration overlap =
        EndpointBody.rotation(GivenBody.ofOptional(WorkspaceCalls.body(ctx))).orRefuse();
    return endpoints
        .show(workspaceId, id)
        .compose(_ ->
            new Creations(pool, secretBox, "endpoints/" + id + "/secrets")
                .answer(
                    ctx,
                    workspaceId,
                    tx ->
                        endpoints
                            .rotateSecret(tx, caller, workspaceId, id, overlap)
                            .map(EndpointView::of)));
  }

  /** Answers with the outcome of the test. */
  public Future<Void> test(RoutingContext ctx, UUID workspaceId, UUID id) {
    return testSend
        .run(ctx, Caller.ofApi(ctx), workspaceId, id)
        .map(result -> {
          JsonObject shown =
              new JsonObject()
                  .put("delivery_id", result.deliveryId().toString())
                  .put("capture_id", SampleCapture.ID.toString())
                  .mergeIn(AttemptView.of(result.deliveryId(), result.attempt()));
          HttpExchange.sendJson(ctx, 200, shown);
          return null;
        });
  }

  /** From now on only the newest secret signs. */
  public Future<Void> endOverlap(RoutingContext ctx, UUID workspaceId, UUID id) {
    return endpoints
        .endOverlap(Caller.ofApi(ctx), workspaceId, id)
        .compose(_ -> HttpExchange.endEmpty(ctx, 204));
  }
}
