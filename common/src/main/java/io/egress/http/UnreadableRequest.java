package io.egress.http;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.http.HttpServerRequest;

/** What could not even be read as a request is answered in the same form as every other error. */
final class UnreadableRequest {
  private UnreadableRequest() {}

  static void refuse(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    if (cause instanceof TooLongHttpLineException) {
      refuse(request, 414, "the request's first line is too long");
    } else if (cause instanceof TooLongHttpHeaderException) {
      refuse(request, 431, "the request's headers are too large");
    } else {
      refuse(request, 400, "the request could not be read");
    }
  }

  private static void refuse(HttpServerRequest request, int status, String reason) {
    ErrorBody.send(request.response(), status, reason);
    request.connection().close();
  }
}
