package io.egress.api.hook;

import io.egress.api.intake.CaptureBody;
import io.egress.api.intake.Intake;
import io.egress.api.intake.NameBody;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.RequestLifetime;
import io.egress.platform.trace.Traceparent;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.document.Renderers;
import io.opentelemetry.api.trace.Span;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The calls made by the pipeline and the product: finished captures, and later changes of names.
 */
public final class HookHandler {
  private final WorkerExecutor renderers;
  private final BodyReader bodies;
  private final WorkspaceRate rate;
  private final CombinedPuts puts;
  private final Renames renames;
  private final HookMeters meters;

  HookHandler(
      Vertx vertx,
      BodyReader bodies,
      WorkspaceRate rate,
      CombinedPuts puts,
      Renames renames,
      HookMeters meters) {
    this.renderers = Renderers.of(vertx);
    this.bodies = bodies;
    this.rate = rate;
    this.puts = puts;
    this.renames = renames;
    this.meters = meters;
  }

  public void putCapture(RoutingContext ctx) {
    long startNanos = System.nanoTime();
    meters.unanswered.add(ctx);
    answer(ctx, this::put).onComplete(done -> meters.hook.ended(done, ctx.response(), startNanos));
  }

  public void patchParticipant(RoutingContext ctx) {
    answer(ctx, this::changeParticipant);
  }

  public void putMember(RoutingContext ctx) {
    answer(ctx, (call, id) -> change(call, body -> NameBody.member(body, id), renames::member, ""));
  }

  public void putDevice(RoutingContext ctx) {
    answer(ctx, (call, id) -> change(call, body -> NameBody.device(body, id), renames::device, ""));
  }

  /** Completes when the response status is set. */
  private static Future<Void> answer(
      RoutingContext ctx, BiFunction<RoutingContext, UUID, Future<Void>> call) {
    return PathIds.uuid(ctx.pathParam("id"))
        .map(id -> call.apply(ctx, id))
        .orElseGet(() -> Future.failedFuture(new Refusal(400, "the id in the path must be a UUID")))
        .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  private Future<Void> put(RoutingContext ctx, UUID id) {
    String traceparent = Traceparent.of(Span.current());
    Future<Void> cutShort = RequestLifetime.of(ctx).cutShort();
    return bodies.read(
        ctx,
        body ->
            renderers
                .executeBlocking(() -> puts.put(admitted(body, id), traceparent, cutShort), false)
                .compose(put -> put)
                .compose(result -> answer(ctx, id, result)));
  }

  private Capture admitted(Buffer body, UUID id) {
    Capture capture = CaptureBody.read(body, id).orRefuse();
    if (!rate.admits(capture.workspaceId())) {
      meters.refusedByRate();
      throw new Refusal(
          429, "the workspace has put in more captures per second than its limit; try again later");
    }
    return capture;
  }

  private Future<Void> answer(RoutingContext ctx, UUID id, PutResult result) {
    meters.put(result);
    Refusal refusal = result.refusal();
    if (refusal != null) {
      return Future.failedFuture(refusal);
    }
    HttpExchange.sendJson(
        ctx, result == PutResult.CREATED ? 201 : 200, new JsonObject().put("id", id.toString()));
    return Future.succeededFuture();
  }

  private Future<Void> changeParticipant(RoutingContext ctx, UUID id) {
    String label = ctx.pathParam("label");
    return change(
        ctx,
        NameBody::speaker,
        speaker -> renames.speaker(id, label, speaker),
        "no such capture, or no participant with this label");
  }

  private <T> Future<Void> change(
      RoutingContext ctx,
      Function<Buffer, Intake<T>> parser,
      Function<T, Future<Boolean>> write,
      String unknown) {
    return bodies.read(
        ctx,
        body ->
            write
                .apply(parser.apply(body).orRefuse())
                .compose(found ->
                    found
                        ? HttpExchange.endEmpty(ctx, 204)
                        : Future.failedFuture(new Refusal(404, unknown))));
  }
}
