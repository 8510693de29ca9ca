package io.egress.api.call;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lists in pages: what a page holds under the name of its kind, and the cursor of the next one. */
public final class Pages {
  /** As in the public API, whose names are not in snake case. */
  private Pages() {}

  /** {@code next} is null on the last page. */
  public static Answer answer(String name, List<?> page, @Nullable String next) {
    Map<String, @Nullable Object> pageInfo = new LinkedHashMap<>();
    pageInfo.put("hasNextPage", next != null);
    pageInfo.put("endCursor", next);
    Map<String, Object> body = new LinkedHashMap<>();
    body.put(name, page);
    body.put("pageInfo", pageInfo);
    return Answer.ok(body);
  }
}
