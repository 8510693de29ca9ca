package io.egress.api.portal;

import static java.util.Objects.requireNonNullElse;

import io.egress.api.admin.captures.CaptureFilter;
import io.egress.api.admin.captures.CaptureList;
import io.egress.api.call.Answer;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.CaptureFilterForm;
import io.egress.api.portal.view.Choice;
import io.egress.transcript.capture.Mode;
import io.vertx.core.MultiMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The list of a workspace's captures. */
final class CapturesPage {
  private static final List<String> TEXTS = List.of("search", "member", "device");
  private static final List<String> FILTERS =
      List.of("search", "member", "device", "mode", "from", "to");

  private final PageRenderer pages;
  private final CaptureList captures;

  CapturesPage(PageRenderer pages, CaptureList captures) {
    this.pages = pages;
    this.captures = captures;
  }

  Answer list(Visit visit) {
    MultiMap query = FilterQuery.withShortTitle(FilterQuery.of(visit.query(), FILTERS), "search");
    Map<String, String> problems = problems(query);
    CaptureList.Page page =
        problems.isEmpty()
            ? captures.page(visit.workspaceId(), CaptureFilter.from(FilterQuery.instants(query)))
            : new CaptureList.Page(List.of(), null);
    return pages.page(
        problems.isEmpty() ? 200 : 400,
        "captures",
        Map.of(
            "frame", pages.frame(visit, "Captures", "captures"),
            "filter", form(query, problems),
            "rows", page.captures(),
            "older", requireNonNullElse(page.next(), "")));
  }

  /** The page of the one capture that matches, or the list of those that do. */
  Answer find(Visit visit) {
    MultiMap query =
        FilterQuery.withShortTitle(FilterQuery.of(visit.query(), List.of("search")), "search");
    String matching = pages.base(visit) + "/captures?" + FilterQuery.encoded(query, FILTERS);
    if (!query.contains("search") || !problems(query).isEmpty()) {
      return list(visit);
    }
    MultiMap two = MultiMap.caseInsensitiveMultiMap().addAll(query).set("limit", "2");
    CaptureList.Page found = captures.page(visit.workspaceId(), CaptureFilter.from(two));
    return Answer.seeOther(
        found.captures().size() == 1 && found.next() == null
            ? pages.base(visit) + "/captures/" + found.captures().getFirst().id()
            : matching);
  }

  private static Map<String, String> problems(MultiMap query) {
    Map<String, String> problems = new LinkedHashMap<>();
    for (String text : TEXTS) {
      String given = requireNonNullElse(query.get(text), "");
      if (given.codePointCount(0, given.length()) > CaptureFilter.TEXT_MAX) {
        problems.put(text, "This is longer than " + CaptureFilter.TEXT_MAX + " characters.");
      }
    }
    if (query.contains("mode") && Mode.find(query.get("mode")).isEmpty()) {
      problems.put("mode", "There is no such mode.");
    }
    problems.putAll(FilterQuery.timeProblems(query));
    return problems;
  }

  private static CaptureFilterForm form(MultiMap query, Map<String, String> problems) {
    String asked = requireNonNullElse(query.get("mode"), "");
    List<Choice> modes = new ArrayList<>();
    modes.add(new Choice("", "Any", asked.isEmpty()));
    for (Mode mode : Mode.values()) {
      modes.add(new Choice(mode.wireName(), mode.wireName(), mode.wireName().equals(asked)));
    }
    return new CaptureFilterForm(
        requireNonNullElse(query.get("search"), ""),
        requireNonNullElse(query.get("member"), ""),
        requireNonNullElse(query.get("device"), ""),
        modes,
        requireNonNullElse(query.get("from"), ""),
        requireNonNullElse(query.get("to"), ""),
        FilterQuery.encoded(query, FILTERS),
        problems);
  }
}
