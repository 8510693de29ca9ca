package io.egress.api.hook;

import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.RequestLifetime;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.Semaphore;

/** Bulk import of history, one capture per line. */
public final class ImportHandler {
  private static final int IMPORTS_MAX = 4;
  private static final String NDJSON = "application/x-ndjson";

  private final Vertx vertx;
  private final CaptureWriter writer;
  private final Hook.HookLimits limits;
  private final ImportPace pace;
  private final HookMeters meters;
  private final Semaphore imports = new Semaphore(IMPORTS_MAX);

  ImportHandler(
      Vertx vertx,
      CaptureWriter writer,
      Hook.HookLimits limits,
      WorkspaceRate rate,
      HookMeters meters) {
    this.vertx = vertx;
    this.writer = writer;
    this.limits = limits;
    this.pace = new ImportPace(vertx, rate, meters);
    this.meters = meters;
  }

  public void importLines(RoutingContext ctx) {
    long startNanos = System.nanoTime();
    String type = ctx.request().getHeader(HttpHeaders.CONTENT_TYPE);
    if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase(NDJSON)) {
      HttpExchange.fail(ctx, new Refusal(415, "an import must be sent as " + NDJSON));
      return;
    }
    if (!imports.tryAcquire()) {
      HttpExchange.fail(
          ctx, new Refusal(503, IMPORTS_MAX + " imports are running already, try again later"));
      return;
    }
    RequestLifetime lifetime = RequestLifetime.of(ctx);
    lifetime.adviseIfUnanswered(RequestLifetime.REPEAT);
    Import started = new Import(vertx, writer, limits, pace, lifetime, meters);
    started.released().onComplete(_ -> imports.release());
    started
        .read(ctx)
        .onSuccess(report -> HttpExchange.sendJson(ctx, 200, report.json()))
        .onFailure(failure -> HttpExchange.fail(ctx, failure))
        .onComplete(done -> meters.imports.ended(done, ctx.response(), startNanos));
  }
}
