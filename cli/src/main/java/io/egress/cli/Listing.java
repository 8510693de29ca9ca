package io.egress.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A list of the internal API: its path, filters and pages. */
final class Listing {
  private static final int PAGE_MAX = 100;

  private final String path;
  private final Map<String, String> filters = new TreeMap<>();

  Listing(String path) {
    this.path = path;
  }

  /** A null value does not filter. */
  Listing only(String name, @Nullable Object value) {
    if (value != null) {
      filters.put(name, value.toString());
    }
    return this;
  }

  /** The path with the filters as its query. */
  String call() {
    return call(filters);
  }

  /** Reads page after page, up to {@code limit} entries, from the array {@code field}. */
  JsonArray read(InternalApi api, String field, int limit) {
    JsonArray found = new JsonArray();
    Map<String, String> query = new TreeMap<>(filters);
    while (found.size() < limit) {
      query.put("limit", Integer.toString(Math.min(PAGE_MAX, limit - found.size())));
      JsonObject page = api.call("GET", call(query), new JsonObject());
      found.addAll(page.getJsonArray(field));
      JsonObject info = page.getJsonObject("pageInfo");
      if (!info.getBoolean("hasNextPage")) {
        break;
      }
      query.put("after", info.getString("endCursor"));
    }
    return found;
  }

  /** Reads every page; of 1.0.0, lists of endpoints and keys have no pages. */
  JsonArray all(InternalApi api, String field) {
    JsonArray found = new JsonArray();
    Map<String, String> query = new TreeMap<>(filters);
    while (true) {
      JsonObject page = api.call("GET", call(query), new JsonObject());
      found.addAll(page.getJsonArray(field));
      JsonObject info = page.getJsonObject("pageInfo");
      if (info == null || !info.getBoolean("hasNextPage")) {
        return found;
      }
      query.put("after", info.getString("endCursor"));
    }
  }

  private String call(Map<String, String> query) {
    return query.isEmpty()
        ? path
        : path
            + "?"
            + query.entrySet().stream()
                .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), UTF_8))
                .collect(Collectors.joining("&"));
  }
}
