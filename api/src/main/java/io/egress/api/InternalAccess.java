package io.egress.api;

import static java.util.Objects.requireNonNull;

import io.egress.http.HttpExchange;
import io.egress.http.Refusal;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** Lets pass who carries the internal token. */
final class InternalAccess implements Handler<RoutingContext> {
  private final byte[] expected;

  InternalAccess(String token) {
    this.expected =
        ("Bearer " + requireNonNull(token, "token is null")).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void handle(RoutingContext exchange) {
    String given = exchange.request().getHeader(HttpHeaders.AUTHORIZATION);
    if (given != null && MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8))) {
      exchange.next();
    } else {
      HttpExchange.fail(exchange, new Refusal(401, "missing or wrong internal token"));
    }
  }
}
