package io.egress.platform.http;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;

/** Answers requests that could not be parsed, in the same format as all other errors. */
final class UnreadableRequest implements Handler<HttpServerRequest> {
  private final RequestLog requests;

  UnreadableRequest(RequestLog requests) {
    this.requests = requests;
  }

  @Override
  public void handle(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    if (cause instanceof TooLongHttpLineException) {
      refuse(request, 414, "the request's first line is too long");
    } else if (cause instanceof TooLongHttpHeaderException) {
      refuse(request, 431, "the request's headers are too large");
    } else {
      refuse(request, 400, "the request could not be read");
    }
  }

  private void refuse(HttpServerRequest request, int status, String reason) {
    String id = RequestIds.choose(null);
    HttpExchange.putCommonHeaders(request.response(), id);
    request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    requests.unreadable(id, status);
    ErrorBody.send(request.method(), request.response(), status, reason);
    request.connection().close();
  }
}
