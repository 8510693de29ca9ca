package io.egress.platform.http;

import io.egress.platform.flow.Patience;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.function.LongPredicate;

/**
 * The complete body of a request. The request is watched from the beginning, so that a disconnect
 * is noticed even before the body is read.
 */
public final class RequestBody {
  /**
   * The limits of a body.
   *
   * @param bytesMax larger bodies are rejected with 413
   * @param patience clients that send more slowly are rejected with 408
   */
  public record Limits(long bytesMax, Patience.Terms patience) {}

  private final HttpServerRequest request;
  private final RequestLifetime lifetime;
  private final Limits limits;
  private final Patience patience;
  private final Promise<Buffer> read = Promise.promise();
  private final Buffer body = Buffer.buffer();

  /** Pauses the request. */
  public RequestBody(RoutingContext ctx, Limits limits) {
    this.request = ctx.request();
    this.lifetime = RequestLifetime.of(ctx);
    this.limits = limits;
    this.patience =
        new Patience(
            ctx.vertx(),
            limits.patience(),
            () -> read.tryFail(Refusal.closing(408, "the body arrives too slowly")));
    request.pause();
    request.exceptionHandler(failure -> read.tryFail(ClientGoneException.orBadFraming(failure)));
    lifetime.cutShort().onFailure(read::tryFail);
  }

  /** The announced length, -1 if there is none. Throws {@link Refusal}. */
  public long announced() {
    String given = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (given == null) {
      return -1;
    }
    long length;
    try {
      length = Long.parseLong(given);
    } catch (NumberFormatException notALength) {
      throw new Refusal(400, "content-length is not a number");
    }
    if (length < 0) {
      throw new Refusal(400, "content-length is negative");
    }
    if (length > limits.bytesMax()) {
      throw tooLarge();
    }
    return length;
  }

  /** The result of reading; fails as soon as the client is gone, even before {@link #read}. */
  public Future<Buffer> future() {
    return read.future();
  }

  /** The reason why the request ended, or {@code failure} if it did not. */
  public <T> Future<T> failedOr(Throwable failure) {
    return Future.failedFuture(read.future().failed() ? read.future().cause() : failure);
  }

  public Future<Buffer> read() {
    return read(_ -> true);
  }

  /**
   * {@code room} is called with the length of the body so far, before it is held; if it returns
   * false, the request is rejected with 503.
   */
  public Future<Buffer> read(LongPredicate room) {
    if (read.future().isComplete()) {
      return read.future();
    }
    request.handler(part -> take(part, room));
    request.endHandler(_ -> read.tryComplete(body));
    lifetime.awaitClient();
    patience.startWaiting();
    request.resume();
    return read.future()
        .onComplete(_ -> {
          patience.stopWaiting();
          lifetime.resume();
        });
  }

  private void take(Buffer part, LongPredicate room) {
    if (read.future().isComplete()) {
      return;
    }
    long length = body.length() + (long) part.length();
    if (length > limits.bytesMax()) {
      read.tryFail(tooLarge());
    } else if (!room.test(length)) {
      read.tryFail(
          new Refusal(503, "the service is short of memory for a body of this size; try again"));
    } else {
      body.appendBuffer(part);
      patience.progress(part.length());
    }
  }

  private Refusal tooLarge() {
    return new Refusal(413, "the body is larger than " + limits.bytesMax() + " bytes");
  }
}
