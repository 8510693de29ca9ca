package io.egress.platform.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The table of routes of a listener. Its router answers any other path with 404 and any other
 * method with 405 and {@code Allow}.
 */
public final class Routes {
  /**
   * A route.
   *
   * @param path with parameters as {@code :name}
   */
  public record Call(HttpMethod method, String path, Handler<RoutingContext> handler) {
    public Call with(Handler<RoutingContext> other) {
      return new Call(method, path, other);
    }
  }

  private record Guard(String path, Handler<RoutingContext> handler) {}

  private final List<Guard> guards = new ArrayList<>();
  private final List<Call> calls = new ArrayList<>();

  /** Every request to a path that begins with {@code prefix} passes {@code handler} first. */
  public Routes guard(String prefix, Handler<RoutingContext> handler) {
    guards.add(new Guard(prefix + "*", handler));
    return this;
  }

  /** Also adds HEAD, which differs only in that the body is not sent. */
  public Routes get(String path, Handler<RoutingContext> handler) {
    return add(HttpMethod.GET, path, handler);
  }

  public Routes post(String path, Handler<RoutingContext> handler) {
    return add(HttpMethod.POST, path, handler);
  }

  public Routes put(String path, Handler<RoutingContext> handler) {
    return add(HttpMethod.PUT, path, handler);
  }

  public Routes patch(String path, Handler<RoutingContext> handler) {
    return add(HttpMethod.PATCH, path, handler);
  }

  public Routes delete(String path, Handler<RoutingContext> handler) {
    return add(HttpMethod.DELETE, path, handler);
  }

  /** Adds the routes and guards of {@code others}. */
  public Routes and(Routes others) {
    guards.addAll(others.guards);
    calls.addAll(others.calls);
    return this;
  }

  /**
   * The same routes, which are answered with {@code obstacle} while there is one, after the guards.
   */
  public Routes unless(Supplier<Optional<Refusal>> obstacle) {
    return map(call ->
        call.with(ctx ->
            obstacle
                .get()
                .ifPresentOrElse(
                    refusal -> HttpExchange.unavailable(ctx, refusal, refusal),
                    () -> call.handler().handle(ctx))));
  }

  /** The same guards and routes, as {@code change} makes them. */
  public Routes map(UnaryOperator<Call> change) {
    Routes changed = new Routes();
    changed.guards.addAll(guards);
    calls.stream().map(change).forEach(changed.calls::add);
    return changed;
  }

  public List<Call> calls() {
    return List.copyOf(calls);
  }

  void mount(Router router) {
    guards.forEach(guard -> router.route(guard.path()).handler(guard.handler()));
    for (Call call : calls) {
      Route route = router.route(call.method(), call.path());
      if (call.method().equals(HttpMethod.GET)) {
        route.method(HttpMethod.HEAD);
      }
      route.handler(ctx -> handle(call, ctx));
    }
  }

  private static void handle(Call call, RoutingContext ctx) {
    try {
      StorableText.requireParameters(ctx);
    } catch (Refusal refusal) {
      HttpExchange.fail(ctx, refusal);
      return;
    }
    call.handler().handle(ctx);
  }

  private Routes add(HttpMethod method, String path, Handler<RoutingContext> handler) {
    calls.add(new Call(method, path, handler));
    return this;
  }
}
