package io.egress.platform.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Optional;

/**
 * Rejects requests that two parsers may interpret differently, and closes their connections: a
 * proxy in front could be made to see other requests than the service does.
 */
final class RequestRules {
  private RequestRules() {}

  static Optional<Refusal> check(HttpServerRequest request) {
    MultiMap headers = request.headers();
    if (headers.getAll(HttpHeaders.HOST).size() > 1) {
      return refusal("more than one host header");
    }
    if (headers.getAll(HttpHeaders.AUTHORIZATION).size() > 1) {
      return refusal("more than one authorization header");
    }
    List<String> codings = headers.getAll(HttpHeaders.TRANSFER_ENCODING);
    if (codings.isEmpty()
        || (codings.size() == 1 && codings.get(0).strip().equalsIgnoreCase("chunked"))) {
      return Optional.empty();
    }
    return refusal("the only supported transfer-encoding is chunked");
  }

  private static Optional<Refusal> refusal(String reason) {
    return Optional.of(Refusal.closing(400, reason));
  }
}
