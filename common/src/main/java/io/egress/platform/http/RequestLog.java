package io.egress.platform.http;

import io.egress.platform.metrics.MonitoringPaths;
import io.egress.platform.outage.Outage;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs the requests of a listener. Of the client's data only ids are logged: a path is shown as its
 * route.
 */
public final class RequestLog {
  public static final String ACCESS_LOGGER = "io.egress.access";

  private static final Logger access = LoggerFactory.getLogger(ACCESS_LOGGER);
  private static final Logger log = LoggerFactory.getLogger(RequestLog.class);
  private static final String OF_EXCHANGE = RequestLog.class.getName();
  private static final String API_KEY_ID = OF_EXCHANGE + ".api-key-id";
  private static final Pattern PARAMETER = Pattern.compile(":(\\w+)");
  private static final int FIRST_ERROR_STATUS = 400;
  private static final int CLIENT_GONE_STATUS = 499;

  private final boolean tellsEach;
  private final Outage outage =
      new Outage(log, "Requests are answered with 503", "Requests are answered again");

  /** Requests for health and metrics are not logged. */
  public RequestLog(boolean tellsEach) {
    this.tellsEach = tellsEach;
  }

  /** The id, never the token, of the key that authenticated the request. */
  public static void keyUsed(RoutingContext ctx, UUID keyId) {
    ctx.put(API_KEY_ID, keyId);
  }

  /** A request that is answered with 503 because of {@code cause}. */
  static void notNow(RoutingContext ctx, Throwable cause) {
    RequestLog requests = ctx.get(OF_EXCHANGE);
    if (requests != null) {
      requests.outage.failed(cause, Map.of("request_id", id(ctx)));
    }
  }

  static String id(RoutingContext ctx) {
    return ctx.response().headers().get(HttpExchange.REQUEST_ID);
  }

  void begin(RoutingContext ctx) {
    ctx.put(OF_EXCHANGE, this);
    if (isForMonitoring(ctx.request().path())) {
      return;
    }
    long startedNanos = System.nanoTime();
    ctx.addEndHandler(_ -> end(ctx, System.nanoTime() - startedNanos));
  }

  /** A request that could not be parsed. */
  void unreadable(String requestId, int status) {
    if (tellsEach) {
      access
          .atInfo()
          .addKeyValue("status", status)
          .addKeyValue("request_id", requestId)
          .log("Unreadable request");
    }
  }

  private void end(RoutingContext ctx, long nanos) {
    HttpServerResponse response = ctx.response();
    if (response.ended() && response.getStatusCode() < FIRST_ERROR_STATUS) {
      outage.worked();
    }
    if (!tellsEach) {
      return;
    }
    LoggingEventBuilder line =
        access
            .makeLoggingEventBuilder(Level.INFO)
            .addKeyValue("method", method(ctx))
            .addKeyValue("path", path(ctx))
            .addKeyValue("status", status(response))
            .addKeyValue("duration_ms", TimeUnit.NANOSECONDS.toMillis(nanos))
            .addKeyValue("bytes", response.bytesWritten())
            .addKeyValue("request_id", id(ctx));
    UUID keyId = ctx.get(API_KEY_ID);
    if (keyId != null) {
      line = line.addKeyValue("api_key_id", keyId);
    }
    line.log(response.ended() ? "request" : "request cut short");
  }

  /** A client that disconnected before the response has status 499, as in nginx. */
  private static int status(HttpServerResponse response) {
    return response.ended() || response.headWritten()
        ? response.getStatusCode()
        : CLIENT_GONE_STATUS;
  }

  private static boolean isForMonitoring(String path) {
    return path != null && MonitoringPaths.include(path);
  }

  private static String method(RoutingContext ctx) {
    HttpMethod method = ctx.request().method();
    return HttpMethod.values().contains(method) ? method.name() : "other";
  }

  /** Leaves only ids of the client's data. */
  static String path(RoutingContext ctx) {
    Route route = ctx.currentRoute();
    if (route == null || route.getPath() == null) {
      return "unmatched";
    }
    return PARAMETER
        .matcher(route.getPath())
        .replaceAll(parameter ->
            PathIds.uuid(ctx.pathParam(parameter.group(1)))
                .map(UUID::toString)
                .orElse(parameter.group()));
  }
}
