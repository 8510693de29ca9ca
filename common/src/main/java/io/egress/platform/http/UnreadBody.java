package io.egress.platform.http;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;

/**
 * The rest of a request that is answered already. It is discarded for a while, so that a client
 * that sends before it reads gets the response; then the connection is closed.
 */
final class UnreadBody {
  private static final Duration DISCARD_MAX = Duration.ofSeconds(2);

  private UnreadBody() {}

  static void discardAfterAnswer(RoutingContext ctx) {
    HttpServerRequest request = ctx.request();
    if (mayHaveBody(request)) {
      ctx.addEndHandler(ended -> {
        if (ended.succeeded() && !request.isEnded()) {
          discard(ctx.vertx(), request);
        }
      });
    }
  }

  private static boolean mayHaveBody(HttpServerRequest request) {
    return request.headers().contains(HttpHeaders.CONTENT_LENGTH)
        || request.headers().contains(HttpHeaders.TRANSFER_ENCODING);
  }

  private static void discard(Vertx vertx, HttpServerRequest request) {
    long timer = vertx.setTimer(DISCARD_MAX.toMillis(), _ -> request.connection().close());
    request.handler(_ -> {});
    request.endHandler(_ -> vertx.cancelTimer(timer));
    request.exceptionHandler(_ -> vertx.cancelTimer(timer));
    request.resume();
  }
}
