package io.egress.api.pull;

import static java.util.Objects.requireNonNull;

import io.egress.document.BodyEncoder;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A response that is written no faster than the client reads it. A client that takes nothing for
 * too long, or is gone, fails what is being sent.
 */
final class Outlet {
  private final Vertx vertx;
  private final HttpServerResponse response;
  private final Duration stallMax;
  private @Nullable Promise<Void> waiting;
  private boolean gone;

  Outlet(Vertx vertx, HttpServerResponse response, Duration stallMax) {
    this.vertx = requireNonNull(vertx, "vertx is null");
    this.response = requireNonNull(response, "response is null");
    this.stallMax = requireNonNull(stallMax, "stallMax is null");
    response.closeHandler(closed -> leave());
    response.exceptionHandler(failure -> leave());
  }

  /** Sends what {@code body} has been told so far; completes once it has all but left. */
  Future<Void> sendAll(BodyEncoder body) {
    while (true) {
      if (gone || response.closed()) {
        return Future.failedFuture(new ClientGoneException());
      }
      if (response.writeQueueFull()) {
        return drained().compose(drained -> sendAll(body));
      }
      Buffer piece = body.next();
      if (piece == null) {
        return Future.succeededFuture();
      }
      response.write(piece);
    }
  }

  Future<Void> end() {
    return response.end();
  }

  private Future<Void> drained() {
    Promise<Void> drained = Promise.promise();
    waiting = drained;
    long timer =
        vertx.setTimer(stallMax.toMillis(), late -> drained.tryFail(new ClientGoneException()));
    response.drainHandler(ready -> drained.tryComplete());
    return drained.future().onComplete(done -> vertx.cancelTimer(timer));
  }

  private void leave() {
    gone = true;
    if (waiting != null) {
      waiting.tryFail(new ClientGoneException());
    }
  }

  /** The client hung up or stopped reading: nobody is left to answer. */
  static final class ClientGoneException extends IOException {
    private static final long serialVersionUID = 1L;

    ClientGoneException() {
      super("the client is gone or takes nothing");
    }
  }
}
