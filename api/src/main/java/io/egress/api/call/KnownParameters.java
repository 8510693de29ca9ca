package io.egress.api.call;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.api.intake.Nearest;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.Routes;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * Refuses queries with parameters that the API's description does not have: a filter with a typing
 * error would be ignored, and everything returned.
 */
public final class KnownParameters {
  private final Map<String, Set<String>> byRoute;

  private KnownParameters(Map<String, Set<String>> byRoute) {
    this.byRoute = byRoute;
  }

  /** {@code resource} is an OpenAPI document. */
  public static KnownParameters describedBy(String resource) {
    JsonObject description = read(resource);
    JsonObject parameters =
        description.getJsonObject("components").getJsonObject("parameters", new JsonObject());
    Map<String, Set<String>> byRoute = new HashMap<>();
    description
        .getJsonObject("paths")
        .forEach(path ->
            ((JsonObject) path.getValue())
                .forEach(operation ->
                    byRoute.put(
                        route(operation.getKey(), path.getKey().replaceAll("\\{(\\w+)}", ":$1")),
                        names((JsonObject) operation.getValue(), parameters))));
    return new KnownParameters(byRoute);
  }

  private static Set<String> names(JsonObject operation, JsonObject parameters) {
    Set<String> names = new TreeSet<>();
    for (Object each : operation.getJsonArray("parameters", new JsonArray())) {
      JsonObject parameter = (JsonObject) each;
      String reference = parameter.getString("$ref");
      if (reference != null) {
        parameter = parameters.getJsonObject(reference.substring(reference.lastIndexOf('/') + 1));
      }
      if (parameter.getString("in").equals("query")) {
        names.add(parameter.getString("name"));
      }
    }
    return names;
  }

  private static JsonObject read(String resource) {
    try (InputStream in =
        Objects.requireNonNull(KnownParameters.class.getResourceAsStream(resource), resource)) {
      return new JsonObject(new String(in.readAllBytes(), UTF_8));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** The same routes, for known parameters only. */
  public Routes only(Routes routes) {
    return routes.map(call -> {
      Set<String> known = byRoute.get(route(call.method().name(), call.path()));
      return known == null
          ? call
          : call.with(ctx -> {
            if (isKnown(ctx, known)) {
              call.handler().handle(ctx);
            }
          });
    });
  }

  private static boolean isKnown(RoutingContext ctx, Set<String> known) {
    if (ctx.request().query() == null) {
      return true;
    }
    for (String name : ctx.queryParams().names()) {
      if (!known.contains(name)) {
        HttpExchange.fail(
            ctx, new Refusal(400, "there is no parameter " + name + Nearest.hint(name, known)));
        return false;
      }
    }
    return true;
  }

  private static String route(String method, String path) {
    return method.toUpperCase(Locale.ROOT) + " " + path;
  }
}
