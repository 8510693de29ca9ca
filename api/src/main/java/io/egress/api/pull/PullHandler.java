package io.egress.api.pull;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.keys.ApiKey;
import io.egress.api.admin.keys.KeyUse;
import io.egress.platform.flow.ByteBudget;
import io.egress.platform.flow.Patience;
import io.egress.platform.http.CallMeter;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.PacedResponse;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.RequestLifetime;
import io.egress.platform.http.RequestLog;
import io.egress.platform.metrics.Metrics;
import io.egress.transcript.document.BodyEncoder;
import io.egress.transcript.stream.Cursor;
import io.egress.transcript.stream.Feed;
import io.egress.transcript.text.TextFormat;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** The public API: the stream, its changes, and the single capture. */
public final class PullHandler {
  /** Who sent a request. */
  private record Reader(ApiKey key, UUID workspaceId) {}

  /** What became of a page that was looked for. */
  private sealed interface Looked {
    record Sent() implements Looked {}

    /** There is nothing to send yet, and the client waits. */
    record Empty(StreamPage page) implements Looked {}
  }

  private final PullStore store;
  private final KnownKeys keys;
  private final PageSender sender;
  private final KeyUse keyUse;
  private final ByteBudget memory;
  private final Duration memoryWait;
  private final Patience.Terms patience;
  private final PullMeters meters;
  private final WaitingPulls waiting;

  public PullHandler(
      PullStore store,
      KeyUse keyUse,
      PullLimits limits,
      WaitingPulls waiting,
      Clock clock,
      Metrics metrics) {
    this.store = store;
    this.keys = store.keys();
    this.waiting = waiting;
    this.keyUse = keyUse;
    this.memory = limits.memory();
    this.memoryWait = limits.memoryWait();
    this.patience = limits.patience();
    this.meters = new PullMeters(metrics);
    this.sender = new PageSender(store, clock);
  }

  /** Limits of pages: memory shared by all pages, and how slowly a client may read. */
  public record PullLimits(ByteBudget memory, Duration memoryWait, Patience.Terms patience) {
    public PullLimits {
      requireNonNull(memory, "memory is null");
      requireNonNull(memoryWait, "memoryWait is null");
      requireNonNull(patience, "patience is null");
    }
  }

  /** Sends a page of the stream. */
  public void list(RoutingContext ctx) {
    answer(ctx, meters.list, reader -> page(ctx, reader, Feed.CAPTURES));
  }

  /** Sends a page of the changes of the stream's captures. */
  public void changes(RoutingContext ctx) {
    answer(ctx, meters.changes, reader -> page(ctx, reader, Feed.CHANGES));
  }

  /** Sends a line for each capture that can be read. */
  public void inventory(RoutingContext ctx) {
    answer(ctx, meters.inventory, reader -> everyCapture(ctx, reader));
  }

  /** Sends one capture. */
  public void one(RoutingContext ctx) {
    answer(ctx, meters.one, reader -> document(ctx, reader));
  }

  /** A request has nothing, and nothing of it is looked at, before its key was found. */
  private void answer(RoutingContext ctx, CallMeter meter, Function<Reader, Future<Void>> call) {
    long startNanos = System.nanoTime();
    HttpServerResponse response = ctx.response();
    reader(ctx)
        .compose(call)
        .onFailure(failure -> HttpExchange.fail(ctx, failure))
        .onComplete(ended -> {
          meters.sent(response);
          meter.ended(ended, response, startNanos + WaitingPulls.heldNanos(ctx));
        });
  }

  private Future<Reader> reader(RoutingContext ctx) {
    String authorization = ctx.request().getHeader(HttpHeaders.AUTHORIZATION);
    Optional<ApiKey> given = Optional.ofNullable(authorization).flatMap(ApiKey::fromHeader);
    return given
        .map(key -> keys.workspaceOf(key).map(workspaceId -> new Reader(key, workspaceId)))
        .orElseGet(() -> Future.failedFuture(KnownKeys.unknown()));
  }

  private Future<Void> page(RoutingContext ctx, Reader reader, Feed feed) {
    PageRequest request;
    try {
      request = PageRequest.from(feed, ctx.queryParams(), ctx.parsedHeaders().accept());
    } catch (Refusal refused) {
      return refuseIfKnown(reader, refused);
    }
    long waitUntilNanos = System.nanoTime() + request.holdMax().toNanos();
    return request.start() == null
        ? page(ctx, reader, request, waitUntilNanos)
        : store
            .place(reader.key(), request)
            .compose(place ->
                page(
                    ctx,
                    reader,
                    request.startingAfter(place.orElseThrow(() -> ended(reader))),
                    waitUntilNanos));
  }

  /** While it is held, a request has no memory. */
  private Future<Void> page(
      RoutingContext ctx, Reader reader, PageRequest request, long waitUntilNanos) {
    return this.<Looked>inRoom(
            ctx,
            reader,
            room ->
                read(reader, request, bytesMax(ctx))
                    .compose(page ->
                        page.entries().isEmpty() && waitUntilNanos > System.nanoTime()
                            ? Future.succeededFuture(new Looked.Empty(page))
                            : sendAll(ctx, reader, request, page, room).map(new Looked.Sent())))
        .compose(looked ->
            switch (looked) {
              case Looked.Sent _ -> Future.succeededFuture();
              case Looked.Empty(StreamPage page) ->
                  hold(ctx, reader, request, page, waitUntilNanos);
            });
  }

  private Future<Void> hold(
      RoutingContext ctx,
      Reader reader,
      PageRequest request,
      StreamPage empty,
      long waitUntilNanos) {
    return waiting
        .hold(ctx, request.feed(), empty, Duration.ofNanos(waitUntilNanos - System.nanoTime()))
        .compose(end ->
            end == HeldPulls.End.LOOK_AGAIN
                ? page(ctx, reader, request, waitUntilNanos)
                : sendAll(ctx, reader, request, empty, room(ctx, reader)));
  }

  private Future<StreamPage> read(Reader reader, PageRequest request, long bytesMax) {
    return store
        .page(reader.key(), request, bytesMax)
        .map(page -> {
          StreamPage known = page.orElseThrow(() -> ended(reader));
          if (!known.follows()) {
            throw PageRequest.otherHistory();
          }
          return known;
        })
        .compose(
            page -> bytesMax == 0 ? Future.succeededFuture(page) : store.sending(page, request));
  }

  private Future<Void> sendAll(
      RoutingContext ctx, Reader reader, PageRequest request, StreamPage page, PageRoom room) {
    Future<Void> cutShort = RequestLifetime.of(ctx).cutShort();
    if (cutShort.failed()) {
      return cutShort;
    }
    HttpServerResponse response = ctx.response();
    response.putHeader(HttpHeaders.VARY, "accept, accept-encoding");
    if (!request.lines()) {
      response.putHeader(HttpHeaders.CONTENT_TYPE, "application/json");
      linkNext(response, request, page);
      return send(
          ctx,
          page,
          (body, outlet) ->
              sender.sendList(request, page, room, body, outlet).map(page.entries().size()));
    }
    response.putHeader(HttpHeaders.CONTENT_TYPE, "application/x-ndjson");
    return send(
        ctx,
        page,
        (body, outlet) ->
            new LineSender(
                    sender,
                    request.endOfNothing(),
                    end -> read(reader, request.continuedAfter(end), PageSender.CHUNK_BYTES),
                    room,
                    RequestLifetime.of(ctx),
                    body,
                    outlet)
                .send(page));
  }

  private Future<Void> everyCapture(RoutingContext ctx, Reader reader) {
    InventorySender.Chunks chunks =
        (above, upTo) ->
            store
                .inventory(reader.key(), above, upTo)
                .map(chunk -> chunk.orElseThrow(() -> ended(reader)));
    PageRoom room = room(ctx, reader);
    return room.fit(Inventory.CHUNKS_BYTES)
        .compose(_ -> chunks.between(0, Inventory.CHUNK_POSITIONS))
        .compose(first -> {
          Future<Void> cutShort = RequestLifetime.of(ctx).cutShort();
          if (cutShort.failed()) {
            return cutShort;
          }
          ctx.response()
              .putHeader(HttpHeaders.CONTENT_TYPE, "application/x-ndjson")
              .putHeader(HttpHeaders.VARY, "accept-encoding");
          return send(
              ctx,
              first.keyId(),
              (gzip, outlet) ->
                  new InventorySender(ctx.vertx(), gzip, outlet, RequestLifetime.of(ctx), chunks)
                      .send(first));
        })
        .onComplete(_ -> room.close());
  }

  private Future<Void> document(RoutingContext ctx, Reader reader) {
    Optional<UUID> id = PathIds.uuid(ctx.pathParam("id"));
    if (id.isEmpty()) {
      return refuseIfKnown(reader, new Refusal(400, "the capture id must be a UUID"));
    }
    DocumentForm form;
    try {
      form = DocumentForm.from(ctx.parsedHeaders().accept());
    } catch (Refusal refused) {
      return refuseIfKnown(reader, refused);
    }
    return inRoom(
        ctx,
        reader,
        room ->
            store
                .one(reader.key(), id.get(), bytesMax(ctx))
                .compose(page -> store.sendingOne(page.orElseThrow(() -> ended(reader))))
                .compose(known -> document(ctx, form, known, room)));
  }

  private Future<Void> document(
      RoutingContext ctx, DocumentForm form, StreamPage known, PageRoom room) {
    if (known.entries().isEmpty()) {
      throw new Refusal(404, "no such capture in this workspace's stream");
    }
    Future<Void> cutShort = RequestLifetime.of(ctx).cutShort();
    if (cutShort.failed()) {
      return cutShort;
    }
    Revision revision = new Revision(known.entries().getFirst(), form);
    revision.describe(ctx.response());
    if (revision.isHeldBy(ctx.request())) {
      used(ctx, known.keyId());
      return HttpExchange.endEmpty(ctx, 304);
    }
    ctx.response().putHeader(HttpHeaders.CONTENT_TYPE, form.contentType());
    TextFormat text = form.text();
    return send(
        ctx,
        known,
        (body, outlet) ->
            (text == null
                    ? sender.sendOne(known, room, body, outlet)
                    : sender.sendText(known, text, ctx.vertx(), room, body, outlet))
                .map(1));
  }

  /**
   * The memory is released when the page was sent, and at the latest when the request's lifetime is
   * cut short: a database call that is still running then has none, and its result is dropped.
   */
  private <T> Future<T> inRoom(
      RoutingContext ctx, Reader reader, Function<PageRoom, Future<T>> use) {
    PageRoom room = room(ctx, reader);
    return room.fit(PageSender.CHUNK_BYTES)
        .compose(_ -> use.apply(room))
        .onComplete(_ -> room.close());
  }

  private PageRoom room(RoutingContext ctx, Reader reader) {
    return new PageRoom(
        memory, reader.workspaceId(), memoryWait, RequestLifetime.of(ctx).cutShort());
  }

  private interface Sending {
    /** Returns the number of documents. */
    Future<Integer> to(boolean gzip, PacedResponse outlet);
  }

  private interface SendingDocuments {
    /** Returns the number of documents. */
    Future<Integer> to(BodyEncoder body, PacedResponse outlet);
  }

  private Future<Void> send(RoutingContext ctx, StreamPage page, SendingDocuments sending) {
    return send(
        ctx,
        page.keyId(),
        (gzip, outlet) -> sending.to(gzip ? BodyEncoder.gzip() : BodyEncoder.identity(), outlet));
  }

  private Future<Void> send(RoutingContext ctx, UUID keyId, Sending sending) {
    used(ctx, keyId);
    boolean gzip = AcceptedEncoding.takesGzip(ctx.request().getHeader(HttpHeaders.ACCEPT_ENCODING));
    HttpServerResponse response = ctx.response();
    if (gzip) {
      response.putHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
    }
    if (isHead(ctx)) {
      return HttpExchange.endEmpty(ctx, 200);
    }
    response.setChunked(true);
    return sending
        .to(gzip, new PacedResponse(ctx, patience))
        .onSuccess(meters::sentWhole)
        .mapEmpty();
  }

  private void used(RoutingContext ctx, UUID keyId) {
    keyUse.note(keyId);
    RequestLog.keyUsed(ctx, keyId);
  }

  /**
   * For tools that follow links. Relative, because a proxy in front may use another scheme and
   * host.
   */
  private static void linkNext(HttpServerResponse response, PageRequest request, StreamPage page) {
    Cursor end = page.end();
    if (end != null && page.hasNext()) {
      response.putHeader(
          "link",
          "<%s?limit=%d&after=%s>; rel=\"next\""
              .formatted(request.feed().path(), request.limit(), end.encode()));
    }
  }

  /** An invalid request with a key that has ended is answered with 401. */
  private Future<Void> refuseIfKnown(Reader reader, Refusal refusal) {
    return keys.find(reader.key()).compose(_ -> Future.failedFuture(refusal));
  }

  private Refusal ended(Reader reader) {
    keys.forget(reader.key());
    return KnownKeys.unknown();
  }

  private static long bytesMax(RoutingContext ctx) {
    return isHead(ctx) ? 0 : PageSender.CHUNK_BYTES;
  }

  private static boolean isHead(RoutingContext ctx) {
    return ctx.request().method().equals(HttpMethod.HEAD);
  }
}
