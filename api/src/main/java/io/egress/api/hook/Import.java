package io.egress.api.hook;

import io.egress.api.intake.CaptureBody;
import io.egress.api.intake.Intake;
import io.egress.api.intake.NdjsonLines;
import io.egress.platform.flow.ByteBudget;
import io.egress.platform.flow.Patience;
import io.egress.platform.http.ClientGoneException;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.RequestLifetime;
import io.egress.transcript.capture.Capture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One import. Lines are written in batches, in file order, and the request is paused while a batch
 * is being written. An import therefore holds one batch and one line, and reserves memory for them
 * before reading them.
 */
final class Import implements NdjsonLines.Receiver {
  private static final int BATCH_LINES_MAX = 100;
  private static final int BATCH_BYTES_MAX = 1024 * 1024;

  /** Imports are not traced: a history of captures would be one trace of millions of spans. */
  private static final @Nullable String UNTRACED = null;

  private record Line(long number, Buffer text) {}

  private record Numbered(long line, IncomingCapture capture) {}

  private final Vertx vertx;
  private final CaptureWriter writer;
  private final Hook.HookLimits limits;
  private final RequestLifetime lifetime;
  private final Patience patience;
  private final NdjsonLines lines;
  private final ImportPace pace;
  private final ImportReport report;
  private final Promise<ImportReport> done = Promise.promise();
  private List<Line> batch = new ArrayList<>();
  private int batchBytes;
  private Future<Void> written = Future.succeededFuture();

  Import(
      Vertx vertx,
      CaptureWriter writer,
      Hook.HookLimits limits,
      ImportPace pace,
      RequestLifetime lifetime,
      HookMeters meters) {
    this.vertx = vertx;
    this.writer = writer;
    this.limits = limits;
    this.pace = pace;
    this.lifetime = lifetime;
    this.patience =
        new Patience(
            vertx,
            limits.patience(),
            () -> done.tryFail(Refusal.closing(408, "the lines arrive too slowly")));
    this.lines =
        new NdjsonLines((int) Math.min(limits.maxCaptureBytes(), Integer.MAX_VALUE / 2), this);
    this.report = new ImportReport(meters);
  }

  Future<ImportReport> read(RoutingContext ctx) {
    HttpServerRequest request = ctx.request();
    request.pause();
    request.exceptionHandler(failure -> done.tryFail(ClientGoneException.orBadFraming(failure)));
    lifetime.cutShort().onFailure(done::tryFail);
    ByteBudget.Place place =
        limits.memory().ask(ctx, Hook.cost(BATCH_BYTES_MAX), limits.memoryWait());
    done.future().onFailure(_ -> place.leave());
    place.share().onSuccess(room -> read(request, room)).onFailure(done::tryFail);
    return done.future()
        .onComplete(
            _ -> released().onComplete(_ -> place.share().onSuccess(ByteBudget.Share::giveBack)));
  }

  /** Completes when nothing of the import is being written; it may have ended before. */
  Future<Void> released() {
    return done.future().<Void>mapEmpty().otherwiseEmpty().compose(_ -> written).otherwiseEmpty();
  }

  private void read(HttpServerRequest request, ByteBudget.Share room) {
    awaitClient();
    done.future().onComplete(_ -> patience.stopWaiting());
    request.handler(part -> {
      if (done.future().isComplete()) {
        return;
      }
      patience.progress(part.length());
      long held = (long) batchBytes + lines.heldBytes() + part.length();
      if (held > BATCH_BYTES_MAX && !room.resize(Hook.cost(held))) {
        done.tryFail(
            new Refusal(
                503, "the service is short of memory for a line of this length; try again"));
        return;
      }
      lines.feed(part);
      if (report.stopped()) {
        done.tryComplete(report);
      } else if (batch.size() >= BATCH_LINES_MAX || batchBytes >= BATCH_BYTES_MAX) {
        request.pause();
        goOn();
        putBatch()
            .onSuccess(_ -> {
              room.resize(Hook.cost(BATCH_BYTES_MAX));
              awaitClient();
              request.resume();
            })
            .onFailure(done::tryFail);
      }
    });
    request.endHandler(_ -> {
      if (done.future().isComplete()) {
        return;
      }
      lines.end();
      goOn();
      putBatch().onSuccess(_ -> done.tryComplete(report)).onFailure(done::tryFail);
    });
    request.resume();
  }

  private void awaitClient() {
    lifetime.awaitClient();
    patience.startWaiting();
  }

  private void goOn() {
    patience.stopWaiting();
    lifetime.resume();
  }

  @Override
  public void line(long number, Buffer line) {
    batch.add(new Line(number, line));
    batchBytes += line.length();
  }

  @Override
  public void tooLong(long number) {
    report.refuse(number, "the line is too long");
  }

  private Future<Void> putBatch() {
    List<Line> taken = batch;
    batch = new ArrayList<>();
    batchBytes = 0;
    if (taken.isEmpty() || report.stopped()) {
      return Future.succeededFuture();
    }
    written =
        vertx
            .executeBlocking(() -> taken.stream().map(this::parse).toList(), false)
            .compose(this::putParsed);
    return written;
  }

  private record Parsed(long line, Intake<IncomingCapture> intake) {}

  private Parsed parse(Line line) {
    Intake<Capture> intake = CaptureBody.readLine(line.text());
    return new Parsed(
        line.number(),
        intake instanceof Intake.Refused<Capture> refused
            ? new Intake.Refused<>(refused.faults())
            : new Intake.Accepted<>(
                writer.prepare(((Intake.Accepted<Capture>) intake).value(), UNTRACED)));
  }

  /**
   * A repeated id goes into a later batch than its first occurrence, so that the later line wins.
   */
  private Future<Void> putParsed(List<Parsed> parsed) {
    Future<Void> put = Future.succeededFuture();
    List<Numbered> distinct = new ArrayList<>();
    Set<UUID> ids = new HashSet<>();
    for (Parsed line : parsed) {
      if (line.intake() instanceof Intake.Refused<IncomingCapture> refused) {
        report.refuse(line.line(), refused.faults().summary());
        continue;
      }
      IncomingCapture capture = ((Intake.Accepted<IncomingCapture>) line.intake()).value();
      if (!ids.add(capture.capture().id())) {
        List<Numbered> full = distinct;
        put = put.compose(_ -> putDistinct(full));
        distinct = new ArrayList<>();
        ids = new HashSet<>(Set.of(capture.capture().id()));
      }
      distinct.add(new Numbered(line.line(), capture));
    }
    List<Numbered> last = distinct;
    return put.compose(_ -> putDistinct(last));
  }

  private Future<Void> putDistinct(List<Numbered> captures) {
    if (captures.isEmpty()) {
      return Future.succeededFuture();
    }
    List<UUID> workspaceIds =
        captures.stream().map(each -> each.capture().capture().workspaceId()).toList();
    return pace.await(workspaceIds, lifetime)
        .compose(_ -> writer.put(captures.stream().map(Numbered::capture).toList()))
        .map(results -> {
          for (int i = 0; i < results.size(); i++) {
            report.count(captures.get(i).line(), results.get(i));
          }
          return null;
        });
  }
}
