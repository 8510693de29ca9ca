package io.egress.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;

/** The body of all errors: {@code {"error":{"message":...,"status":...}}}. */
public final class ErrorBody {
  private ErrorBody() {}

  public static void send(HttpServerRequest request, int status, String message) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return;
    }
    if (response.headWritten()) {
      response.reset();
      return;
    }
    response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, "application/json");
    HttpExchange.end(
        request,
        new JsonObject()
            .put("error", new JsonObject().put("message", message).put("status", status))
            .toBuffer());
  }
}
