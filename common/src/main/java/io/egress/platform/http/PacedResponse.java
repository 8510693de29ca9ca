package io.egress.platform.http;

import io.egress.platform.flow.Patience;
import io.egress.platform.vertx.ByteBufs;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes a response at the pace of the client. Sending fails if the client reads too slowly, or
 * when the request's lifetime is cut short.
 */
public final class PacedResponse {
  private static final int WRITE_BYTES_MAX = 64 * 1024;

  private final HttpServerResponse response;
  private final RequestLifetime lifetime;
  private final Patience patience;
  private @Nullable Buffer piece;
  private @Nullable Promise<Void> waiting;
  private long unreadBytes;
  private @Nullable Throwable gone;

  public PacedResponse(RoutingContext ctx, Patience.Terms terms) {
    this.response = ctx.response();
    this.lifetime = RequestLifetime.of(ctx);
    this.patience = new Patience(ctx.vertx(), terms, this::loseClient);
    lifetime.cutShort().onFailure(this::leave);
  }

  /** Sends pieces until there is none for now; completes when they are in the write buffer. */
  public Future<Void> sendAll(Supplier<@Nullable Buffer> pieces) {
    while (true) {
      if (gone != null) {
        return Future.failedFuture(gone);
      }
      if (response.writeQueueFull()) {
        return drained().compose(_ -> sendAll(pieces));
      }
      Buffer next = nextOf(pieces);
      if (next == null) {
        return Future.succeededFuture();
      }
      unreadBytes += next.length();
      response.write(next);
    }
  }

  /** Completes when everything is written to the connection. */
  public Future<Void> end() {
    if (gone != null) {
      return Future.failedFuture(gone);
    }
    Promise<Void> ended = Promise.promise();
    waiting = ended;
    response.end().onSuccess(ended::tryComplete).onFailure(_ -> loseClient());
    return patiently(ended);
  }

  /**
   * Writes parts small enough to observe whether the client reads. Each part is a write to the
   * socket, so small pieces are combined.
   */
  private @Nullable Buffer nextOf(Supplier<@Nullable Buffer> pieces) {
    CompositeByteBuf part = Unpooled.compositeBuffer(Integer.MAX_VALUE);
    int room = WRITE_BYTES_MAX;
    while (room > 0) {
      Buffer next = piece == null ? pieces.get() : piece;
      if (next == null) {
        break;
      }
      int length = Math.min(room, next.length());
      piece = length == next.length() ? null : next.slice(length, next.length());
      part.addComponent(true, ByteBufs.of(next.slice(0, length)));
      room -= length;
    }
    return room == WRITE_BYTES_MAX ? null : ByteBufs.wrap(part);
  }

  private Future<Void> drained() {
    Promise<Void> drained = Promise.promise();
    waiting = drained;
    response.drainHandler(_ -> drained.tryComplete());
    return patiently(drained);
  }

  private Future<Void> patiently(Promise<Void> read) {
    if (read.future().isComplete()) {
      return read.future();
    }
    lifetime.awaitClient();
    patience.startWaiting();
    return read.future()
        .onComplete(_ -> {
          patience.stopWaiting();
          patience.progress(unreadBytes);
          unreadBytes = 0;
          lifetime.resume();
        });
  }

  private void loseClient() {
    leave(new ClientGoneException("the client disconnected or reads too slowly"));
  }

  private void leave(Throwable reason) {
    gone = gone == null ? reason : gone;
    if (waiting != null) {
      waiting.tryFail(gone);
    }
  }
}
