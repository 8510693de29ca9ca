package io.egress.platform.http;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.impl.RoutingContextDecorator;
import io.vertx.ext.web.impl.RoutingContextInternal;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * An exchange as its handler sees it. Once the deadline has answered, everything that the handler
 * writes is dropped: it may complete at any time, and must not know.
 */
@SuppressWarnings("unchecked") // of a method that it inherits
final class BoundedExchange extends RoutingContextDecorator {
  private final RequestLifetime lifetime;
  private final HttpServerResponse response;

  private BoundedExchange(Route route, RoutingContextInternal ctx) {
    super(route, ctx);
    this.lifetime = RequestLifetime.of(ctx);
    this.response = ctx.response();
  }

  static RoutingContext of(RoutingContext ctx) {
    return new BoundedExchange(
        requireNonNull(ctx.currentRoute(), "no route matched"), (RoutingContextInternal) ctx);
  }

  @Override
  public HttpServerResponse response() {
    return lifetime.isLate() ? spent() : response;
  }

  private HttpServerResponse spent() {
    return (HttpServerResponse)
        Proxy.newProxyInstance(
            HttpServerResponse.class.getClassLoader(),
            new Class<?>[] {HttpServerResponse.class},
            this::drop);
  }

  /** Drops what changes the response, and answers questions about it. */
  private Object drop(Object spent, Method method, Object[] arguments) throws Throwable {
    if (method.getReturnType().isInstance(spent)) {
      return spent;
    }
    if (method.getReturnType().equals(Future.class)) {
      return Future.succeededFuture();
    }
    try {
      return method.invoke(response, arguments);
    } catch (InvocationTargetException failure) {
      throw failure.getCause();
    }
  }
}
