package io.egress.platform.http;

import io.egress.platform.database.Unavailability;
import io.egress.platform.flow.ByteBudget;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The handling of requests common to all listeners: ids, headers, and errors in one format. */
public final class HttpExchange {
  public static final String REQUEST_ID = "x-request-id";

  /** How an exchange presents errors to clients other than API clients. */
  public interface ErrorForm {
    void send(RoutingContext ctx, int status, String message);
  }

  private static final Logger log = LoggerFactory.getLogger(HttpExchange.class);
  private static final String ERROR_FORM = ErrorForm.class.getName();
  private static final AttributeKey<String> ROUTE = AttributeKey.stringKey("http.route");
  private static final AttributeKey<String> PATH = AttributeKey.stringKey("url.path");
  private static final String RETRY_AFTER_SECONDS = "1";

  private HttpExchange() {}

  static Router router(Vertx vertx, RequestLog requests, Duration answerMax) {
    Router router = Router.router(vertx);
    router
        .route()
        .order(-1)
        .handler(ctx -> {
          putCommonHeaders(ctx.response(), RequestIds.choose(ctx.request().getHeader(REQUEST_ID)));
          requests.begin(ctx);
          RequestLifetime.begin(ctx, answerMax);
          trace(ctx, Span.current());
          UnreadBody.discardAfterAnswer(ctx);
          Optional<Refusal> refusal = checkAmbiguous(ctx.request());
          if (refusal.isPresent()) {
            fail(ctx, refusal.get());
          } else {
            ctx.next();
          }
        });
    router.errorHandler(404, ctx -> fail(ctx, new Refusal(404, "no such path")));
    router.errorHandler(405, ctx -> refuseMethod(router, ctx));
    for (int status : new int[] {400, 401, 406, 413, 414, 415, 431, 500, 503}) {
      router.errorHandler(status, ctx -> fail(ctx, cause(ctx, status)));
    }
    return router;
  }

  /** The route is known only when the response begins; its path contains ids, and no data. */
  private static void trace(RoutingContext ctx, Span span) {
    if (span.isRecording()) {
      ctx.addHeadersEndHandler(_ -> {
        Route route = ctx.currentRoute();
        if (route != null && route.getPath() != null) {
          span.updateName(ctx.request().method().name() + " " + route.getPath())
              .setAttribute(ROUTE, route.getPath())
              .setAttribute(PATH, RequestLog.path(ctx));
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
  public static void answerErrorsAs(RoutingContext ctx, ErrorForm form) {
    ctx.put(ERROR_FORM, form);
  }

  /** Ends the exchange with the response for {@code failure}; not if the deadline has answered. */
  public static void fail(RoutingContext ctx, Throwable failure) {
    if (RequestLifetime.isLate(ctx)) {
      return;
    }
    if (failure instanceof Refusal refusal) {
      refuse(ctx, refusal);
    } else if (failure instanceof ByteBudget.NoMemoryException) {
      refuse(ctx, new Refusal(503, "the service is short of memory; try again"));
    } else if (isClientGone(ctx, failure)) {
      log.atDebug()
          .addKeyValue("request_id", RequestLog.id(ctx))
          .log("The client closed its connection: {}", failure.getMessage());
      ctx.response().reset();
    } else if (Unavailability.isCauseOf(failure)) {
      unavailable(ctx, RequestLifetime.of(ctx).unanswered("the database is unavailable"), failure);
    } else {
      log.atError()
          .addKeyValue("request_id", RequestLog.id(ctx))
          .setCause(failure)
          .log("Request failed");
      sendError(ctx, 500, "internal error");
    }
  }

  /** Ends the exchange because of {@code cause}, which concerns others, too, and is logged. */
  static void unavailable(RoutingContext ctx, Refusal refusal, Throwable cause) {
    RequestLog.notNow(ctx, cause);
    refuse(ctx, refusal);
  }

  private static void refuse(RoutingContext ctx, Refusal refusal) {
    HttpServerResponse response = ctx.response();
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
    sendError(ctx, refusal.status(), refusal.reason());
    if (refusal.isClosing()) {
      ctx.request().connection().close();
    }
  }

  /**
   * Ends a response without a body. If the connection fails then, it is the client's fault, not a
   * backend's.
   */
  public static Future<Void> endEmpty(RoutingContext ctx, int status) {
    if (RequestLifetime.isLate(ctx)) {
      return Future.succeededFuture();
    }
    return ctx.response()
        .setStatusCode(status)
        .end()
        .recover(_ -> Future.failedFuture(new ClientGoneException("the client disconnected")));
  }

  public static void sendJson(RoutingContext ctx, int status, JsonObject body) {
    send(ctx, status, "application/json", body.toBuffer());
  }

  /** Nothing is sent if the deadline has answered. */
  static void send(RoutingContext ctx, int status, String contentType, Buffer body) {
    if (!RequestLifetime.isLate(ctx)) {
      ctx.response().setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, contentType);
      end(ctx, body);
    }
  }

  /** Ends with {@code body}, or with its length only for HEAD. */
  public static void end(RoutingContext ctx, Buffer body) {
    end(ctx.request().method(), ctx.response(), body);
  }

  static void end(HttpMethod method, HttpServerResponse response, Buffer body) {
    if (method.equals(HttpMethod.HEAD)) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length())).end();
    } else {
      response.end(body);
    }
  }

  private static Throwable cause(RoutingContext ctx, int status) {
    Throwable failure = ctx.failure();
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

  private static void refuseMethod(Router router, RoutingContext ctx) {
    Set<String> allowed =
        router.getRoutes().stream()
            .filter(route -> isFor(route, ctx))
            .flatMap(route -> route.methods().stream())
            .map(HttpMethod::name)
            .collect(Collectors.toCollection(TreeSet::new));
    allowed.add(HttpMethod.OPTIONS.name());
    ctx.response().putHeader(HttpHeaders.ALLOW, String.join(", ", allowed));
    if (ctx.request().method().equals(HttpMethod.OPTIONS)) {
      ctx.response().setStatusCode(204).end();
      return;
    }
    sendError(ctx, 405, "this path takes " + String.join(", ", allowed));
  }

  private static void sendError(RoutingContext ctx, int status, String message) {
    ErrorForm form = ctx.get(ERROR_FORM);
    HttpServerResponse response = ctx.response();
    if (form == null || response.ended() || response.closed() || response.headWritten()) {
      ErrorBody.send(ctx.request().method(), response, status, message);
    } else {
      form.send(ctx, status, message);
    }
  }

  private static boolean isFor(Route route, RoutingContext ctx) {
    if (route.methods() == null || route.getPath() == null) {
      return false;
    }
    String[] pattern = route.getPath().split("/", -1);
    String[] path = ctx.request().path().split("/", -1);
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
  private static boolean isClientGone(RoutingContext ctx, Throwable failure) {
    return failure instanceof ClientGoneException
        || ClientGoneException.isOfConnection(failure)
        || (ctx.response().closed() && Unavailability.isCauseOf(failure));
  }

  /**
   * Rejects requests that two parsers may interpret differently, and closes their connections: a
   * proxy in front could be made to see other requests than the service does.
   */
  private static Optional<Refusal> checkAmbiguous(HttpServerRequest request) {
    MultiMap headers = request.headers();
    if (headers.getAll(HttpHeaders.HOST).size() > 1) {
      return ambiguous("more than one host header");
    }
    if (headers.getAll(HttpHeaders.AUTHORIZATION).size() > 1) {
      return ambiguous("more than one authorization header");
    }
    List<String> codings = headers.getAll(HttpHeaders.TRANSFER_ENCODING);
    if (codings.isEmpty()
        || (codings.size() == 1 && codings.get(0).strip().equalsIgnoreCase("chunked"))) {
      return Optional.empty();
    }
    return ambiguous("the only supported transfer-encoding is chunked");
  }

  private static Optional<Refusal> ambiguous(String reason) {
    return Optional.of(Refusal.closing(400, reason));
  }
}
