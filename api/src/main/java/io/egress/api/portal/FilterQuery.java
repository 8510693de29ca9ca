package io.egress.api.portal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.api.admin.captures.CaptureFilter;
import io.egress.api.intake.Nearest;
import io.egress.platform.http.Refusal;
import io.vertx.core.MultiMap;
import java.net.URLEncoder;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The filters of a list in its query, with the cursor of a page. */
final class FilterQuery {
  static final String NO_ID = "This is not an id, such as 0e37df36-f698-11e6-8dd4-cb9ced3df976.";
  static final String NO_TIME = "This is not a time, such as 2026-01-31T09:30.";
  static final String NOT_LATER = "This is not later than From.";

  private static final List<String> TIMES = List.of("from", "to");

  /** What queries of pages have besides filters. */
  private static final Set<String> OTHERS = Set.of("after", "done", "form", "page", "seen");

  private FilterQuery() {}

  /** Leaves out empty filters, and refuses unknown ones. */
  static MultiMap of(MultiMap given, List<String> filters) {
    for (String name : given.names()) {
      if (!filters.contains(name) && !OTHERS.contains(name)) {
        throw new Refusal(400, "There is no filter “" + name + "”" + hint(name, filters));
      }
    }
    MultiMap query = MultiMap.caseInsensitiveMultiMap();
    for (String name : Stream.concat(filters.stream(), Stream.of("after")).toList()) {
      String value = given.get(name);
      if (value != null && !value.isBlank()) {
        query.add(name, value.strip());
      }
    }
    return query;
  }

  private static String hint(String name, List<String> filters) {
    return filters.size() == 1
        ? ". The only filter is " + filters.getFirst()
        : Nearest.hint(name, filters);
  }

  /** A title contains its own beginning, so a longer one is found by that. */
  static MultiMap withShortTitle(MultiMap query, String name) {
    String title = query.get(name);
    if (title != null && title.codePointCount(0, title.length()) > CaptureFilter.TEXT_MAX) {
      query.set(
          name, title.substring(0, title.offsetByCodePoints(0, CaptureFilter.TEXT_MAX)).strip());
    }
    return query;
  }

  /** What is wrong with {@code from} and {@code to}, in words for people. */
  static Map<String, String> timeProblems(MultiMap query) {
    Map<String, String> problems = new LinkedHashMap<>();
    for (String time : TIMES) {
      if (query.contains(time) && !LocalTimes.isTime(query.get(time))) {
        problems.put(time, NO_TIME);
      }
    }
    if (problems.isEmpty()
        && query.contains("from")
        && query.contains("to")
        && !instant(query, "to").isAfter(instant(query, "from"))) {
      problems.put("to", NOT_LATER);
    }
    return problems;
  }

  private static Instant instant(MultiMap query, String time) {
    return Instant.parse(LocalTimes.instant(query.get(time)));
  }

  /** With times as the internal API expects them. */
  static MultiMap instants(MultiMap query) {
    MultiMap changed = MultiMap.caseInsensitiveMultiMap().addAll(query);
    for (String time : TIMES) {
      if (query.contains(time)) {
        changed.set(time, LocalTimes.instant(query.get(time)));
      }
    }
    return changed;
  }

  /** Without the cursor; empty, or ending with an ampersand. */
  static String encoded(MultiMap query, List<String> filters) {
    return filters.stream()
        .filter(query::contains)
        .map(name -> name + "=" + encoded(query.get(name)) + "&")
        .collect(Collectors.joining());
  }

  static String encoded(@Nullable String value) {
    return URLEncoder.encode(value == null ? "" : value, UTF_8);
  }
}
