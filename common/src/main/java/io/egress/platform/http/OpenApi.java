package io.egress.platform.http;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Serves the OpenAPI description of a listener. */
public final class OpenApi {
  private OpenApi() {}

  public static Handler<RoutingContext> of(String resource) {
    Buffer description = read(resource);
    return ctx -> {
      ctx.response().putHeader(HttpHeaders.CONTENT_TYPE, "application/json");
      HttpExchange.end(ctx, description);
    };
  }

  private static Buffer read(String resource) {
    try (InputStream stream = OpenApi.class.getResourceAsStream(resource)) {
      if (stream == null) {
        throw new IllegalStateException("no resource " + resource);
      }
      return Buffer.buffer(stream.readAllBytes());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
