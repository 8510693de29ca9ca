package io.egress.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.security.MessageDigest;
import java.util.List;

/** Admits requests that carry one of the internal tokens. */
final class InternalAccess implements Handler<RoutingContext> {
  private final List<byte[]> expected;

  InternalAccess(List<String> tokens) {
    this.expected = tokens.stream().map(token -> ("Bearer " + token).getBytes(UTF_8)).toList();
  }

  @Override
  public void handle(RoutingContext ctx) {
    String given = ctx.request().getHeader(HttpHeaders.AUTHORIZATION);
    if (given != null && isExpected(given.getBytes(UTF_8))) {
      ctx.next();
    } else {
      HttpExchange.fail(ctx, new Refusal(401, "missing or wrong internal token"));
    }
  }

  /** Compares in constant time. */
  private boolean isExpected(byte[] given) {
    boolean found = false;
    for (byte[] one : expected) {
      found |= MessageDigest.isEqual(one, given);
    }
    return found;
  }
}
