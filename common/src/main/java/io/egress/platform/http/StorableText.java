package io.egress.platform.http;

import io.vertx.core.MultiMap;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Text that PostgreSQL can store and compare: Unicode without U+0000. */
public final class StorableText {
  private StorableText() {}

  /** What is wrong with {@code text}, or null. */
  public static @Nullable String problem(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        return "must not contain the character U+0000";
      }
      if (Character.isSurrogate(c)) {
        if (Character.isLowSurrogate(c)
            || i + 1 == text.length()
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          return "must not contain an unpaired surrogate (U+%04X)".formatted((int) c);
        }
        i++;
      }
    }
    return null;
  }

  /** Checks the parameters in path and query. Throws {@link Refusal}. */
  static void requireParameters(RoutingContext ctx) {
    ctx.pathParams().forEach(StorableText::require);
    MultiMap query = ctx.queryParams();
    for (Map.Entry<String, String> parameter : query) {
      require(parameter.getKey(), parameter.getValue());
    }
  }

  /** Throws {@link Refusal} with status 400. */
  public static void require(String name, String text) {
    String problem = problem(text);
    if (problem != null) {
      throw new Refusal(400, name + " " + problem);
    }
  }
}
