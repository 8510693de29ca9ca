package io.egress.http;

import io.egress.database.Unavailability;
import io.egress.flow.ByteBudget;
import io.egress.trace.RequestSpan;
import io.egress.trace.Tracing;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The handling of requests common to all listeners: ids, headers, and errors in one format. */
public final class HttpExchange {
  public static final String REQUEST_ID = "x-request-id";

  /** How an exchange presents errors to clients other than API clients. */
  public interface ErrorForm {
    void send(RoutingContext exchange, int status, String message);
  }

  private static final Logger log = LoggerFactory.getLogger(HttpExchange.class);
  private static final String ERROR_FORM = ErrorForm.class.getName();
  private static final String RETRY_AFTER_SECONDS = "1";

  private HttpExchange() {}

  static Router router(Vertx vertx, RequestLog requests, Duration answerMax) {
    Router router = Router.router(vertx);
    Tracing tracing = Tracing.of(vertx);
    router
        .route()
        .order(-1)
        .handler(
            exchange -> {
              putCommonHeaders(
                  exchange.response(), RequestIds.choose(exchange.request().getHeader(REQUEST_ID)));
              requests.begin(exchange);
              RequestLifetime.begin(exchange, answerMax);
              trace(exchange, tracing.request());
              UnreadBody.discardAfterAnswer(exchange);
              Optional<Refusal> refusal = RequestRules.check(exchange.request());
              if (refusal.isPresent()) {
                fail(exchange, refusal.get());
              } else {
                exchange.next();
              }
            });
    router.errorHandler(404, exchange -> fail(exchange, new Refusal(404, "no such path")));
    router.errorHandler(405, exchange -> refuseMethod(router, exchange));
    for (int status : new int[] {400, 401, 406, 413, 414, 415, 431, 500, 503}) {
      router.errorHandler(status, exchange -> fail(exchange, cause(exchange, status)));
    }
    return router;
  }

  private static void trace(RoutingContext exchange, @Nullable RequestSpan span) {
    if (span != null) {
      exchange.addHeadersEndHandler(
          answering -> {
            Route route = exchange.currentRoute();
            if (route != null && route.getPath() != null) {
              span.matched(
                  exchange.request().method().name(), route.getPath(), RequestLog.path(exchange));
            }
          });
    }
  }

  static void putCommonHeaders(HttpServerResponse response, String requestId) {
    response.putHeader(REQUEST_ID, requestId);
    response.putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    response.putHeader("x-content-type-options", "nosniff");
  }

  /**
   * From now on, errors of this exchange are presented by {@code form} instead of {@link
   * ErrorBody}.
   */
  public static void answerErrorsAs(RoutingContext exchange, ErrorForm form) {
    exchange.put(ERROR_FORM, form);
  }

  static boolean isForPeople(RoutingContext exchange) {
    return exchange.get(ERROR_FORM) != null;
  }

  /** Ends the exchange with the response for {@code failure}. */
  public static void fail(RoutingContext exchange, Throwable failure) {
    if (failure instanceof Refusal refusal) {
      refuse(exchange, refusal);
    } else if (failure instanceof ByteBudget.NoMemoryException) {
      refuse(exchange, new Refusal(503, "no memory for this request now, try again"));
    } else if (isClientGone(exchange, failure)) {
      log.atDebug()
          .addKeyValue("request_id", RequestLog.id(exchange))
          .log("The client closed its connection: {}", failure.getMessage());
      exchange.response().reset();
    } else if (Unavailability.isCauseOf(failure)) {
      unavailable(
          exchange,
          RequestLifetime.of(exchange).unanswered("the database is unavailable"),
          failure);
    } else {
      log.atError()
          .addKeyValue("request_id", RequestLog.id(exchange))
          .setCause(failure)
          .log("Request failed");
      sendError(exchange, 500, "internal error");
    }
  }

  /** Ends the exchange because of {@code cause}, which concerns others, too, and is logged. */
  static void unavailable(RoutingContext exchange, Refusal refusal, Throwable cause) {
    RequestLog.notNow(exchange, cause);
    refuse(exchange, refusal);
  }

  private static void refuse(RoutingContext exchange, Refusal refusal) {
    HttpServerResponse response = exchange.response();
    if (response.headWritten()) {
      // Too late for a status: a response that ends without its end is not taken for a whole one.
      response.reset();
      return;
    }
    if (refusal.status() == 401) {
      response.putHeader("www-authenticate", "Bearer");
    }
    if (refusal.status() == 503 || refusal.status() == 429) {
      response.putHeader("retry-after", RETRY_AFTER_SECONDS);
    }
    if (refusal.isClosing()) {
      response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    sendError(exchange, refusal.status(), refusal.reason());
    if (refusal.isClosing()) {
      exchange.request().connection().close();
    }
  }

  /**
   * Ends a response without a body. If the connection fails then, it is the client's fault, not a
   * backend's.
   */
  public static Future<Void> endEmpty(RoutingContext exchange, int status) {
    return exchange
        .response()
        .setStatusCode(status)
        .end()
        .recover(lost -> Future.failedFuture(new ClientGoneException("the client disconnected")));
  }

  public static void sendJson(RoutingContext exchange, int status, JsonObject body) {
    exchange
        .response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json");
    end(exchange, body.toBuffer());
  }

  /** Ends with {@code body}, or with its length only for HEAD. */
  public static void end(RoutingContext exchange, Buffer body) {
    end(exchange.request().method(), exchange.response(), body);
  }

  static void end(HttpMethod method, HttpServerResponse response, Buffer body) {
    if (method.equals(HttpMethod.HEAD)) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length())).end();
    } else {
      response.end(body);
    }
  }

  private static Throwable cause(RoutingContext exchange, int status) {
    Throwable failure = exchange.failure();
    if (failure instanceof HttpException refused) {
      String reason = refused.getPayload();
      return new Refusal(refused.getStatusCode(), reason == null ? reason(status) : reason);
    }
    return failure == null || status < 500 ? new Refusal(status, reason(status)) : failure;
  }

  private static String reason(int status) {
    return switch (status) {
      case 400 -> "the request could not be read";
      case 413 -> "the body is too large";
      case 415 -> "this content-type is not supported here";
      case 503 -> "try again later";
      default -> "refused with status " + status;
    };
  }

  private static void refuseMethod(Router router, RoutingContext exchange) {
    Set<String> allowed =
        router.getRoutes().stream()
            .filter(route -> isFor(route, exchange))
            .flatMap(route -> route.methods().stream())
            .map(HttpMethod::name)
            .collect(Collectors.toCollection(TreeSet::new));
    allowed.add(HttpMethod.OPTIONS.name());
    exchange.response().putHeader(HttpHeaders.ALLOW, String.join(", ", allowed));
    if (exchange.request().method().equals(HttpMethod.OPTIONS)) {
      exchange.response().setStatusCode(204).end();
      return;
    }
    sendError(exchange, 405, "this path takes " + String.join(", ", allowed));
  }

  private static void sendError(RoutingContext exchange, int status, String message) {
    ErrorForm form = exchange.get(ERROR_FORM);
    HttpServerResponse response = exchange.response();
    if (form == null || response.ended() || response.closed() || response.headWritten()) {
      ErrorBody.send(exchange.request().method(), response, status, message);
    } else {
      form.send(exchange, status, message);
    }
  }

  private static boolean isFor(Route route, RoutingContext exchange) {
    if (route.methods() == null || route.getPath() == null) {
      return false;
    }
    String[] pattern = route.getPath().split("/", -1);
    String[] path = exchange.request().path().split("/", -1);
    if (pattern.length != path.length) {
      return false;
    }
    for (int i = 0; i < pattern.length; i++) {
      if (!pattern[i].startsWith(":") && !pattern[i].equals(path[i])) {
        return false;
      }
    }
    return true;
  }

  /**
   * Once the client's connection is closed, a failed connection is the client's and not a
   * backend's.
   */
  private static boolean isClientGone(RoutingContext exchange, Throwable failure) {
    return failure instanceof ClientGoneException
        || ClientGoneException.isOfConnection(failure)
        || (exchange.response().closed() && Unavailability.isCauseOf(failure));
  }
}
