package io.egress.platform.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;

/** The body of all errors: {@code {"error":{"message":...,"status":...}}}. */
public final class ErrorBody {
  private ErrorBody() {}

  static void send(HttpMethod method, HttpServerResponse response, int status, String message) {
    if (response.ended() || response.closed()) {
      return;
    }
    if (response.headWritten()) {
      response.reset();
      return;
    }
    response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, "application/json");
    HttpExchange.end(
        method,
        response,
        new JsonObject()
            .put("error", new JsonObject().put("message", message).put("status", status))
            .toBuffer());
  }
}
