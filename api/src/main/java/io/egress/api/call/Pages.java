package io.egress.api.call;

import io.egress.api.intake.CreationPlace;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Lists in pages: what a page holds under the name of its kind, and the cursor of the next one. */
public final class Pages {
  /** As in the public API, whose names are not in snake case. */
  private Pages() {}

  /** {@code found} has one more than {@code limit} if there is a next page. */
  public static <T> Answer answer(
      String name, List<T> found, int limit, Function<T, CreationPlace> place) {
    boolean hasNext = found.size() > limit;
    List<T> page = hasNext ? found.subList(0, limit) : found;
    return answer(name, page, hasNext ? place.apply(page.getLast()).cursor() : null);
  }

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
