package io.egress.api.portal;

import static java.util.Objects.requireNonNullElse;

import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.call.Answer;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.EndpointList;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.MultiMap;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The list of a workspace's endpoints. */
final class EndpointsPage {
  static final String PLACE = "endpoints";

  private static final int PAGE = 50;
  private static final String SEARCH = "search";
  private static final String ONLY = "only";
  private static final String TROUBLED = "troubled";

  private final PageRenderer pages;
  private final Endpoints endpoints;
  private final EndpointLines lines;
  private final Clock clock;

  EndpointsPage(PageRenderer pages, Endpoints endpoints, EndpointLines lines, Clock clock) {
    this.pages = pages;
    this.endpoints = endpoints;
    this.lines = lines;
    this.clock = clock;
  }

  Answer list(Visit visit) {
    MultiMap query = FilterQuery.of(visit.query(), List.of(SEARCH, ONLY));
    String search = requireNonNullElse(query.get(SEARCH), "");
    boolean isOnlyTroubled = TROUBLED.equals(query.get(ONLY));
    int page = number(visit.query());
    int first = (page - 1) * PAGE;
    List<Endpoint> all = endpoints.list(visit.workspaceId());
    List<Endpoint> found = lines.worstFirst(matching(all, search), isOnlyTroubled);
    List<Endpoint> shown = found.stream().skip(first).limit(PAGE).toList();
    return pages.page(
        200,
        "endpoints",
        Map.of(
            "frame",
            pages.frame(visit, "Endpoints", PLACE),
            "list",
            new EndpointList(
                lines.of(visit.workspaceId(), shown, clock.instant()),
                all.size(),
                search,
                isOnlyTroubled,
                first + PAGE < found.size() ? query(search, isOnlyTroubled, page + 1) : null)));
  }

  /** Those whose description, URL or id contains the text, in any case. */
  private static List<Endpoint> matching(List<Endpoint> all, String search) {
    if (search.isEmpty()) {
      return all;
    }
    String wanted = search.toLowerCase(Locale.ROOT);
    return all.stream()
        .filter(each ->
            Stream.of(requireNonNullElse(each.description(), ""), each.url(), each.id().toString())
                .anyMatch(text -> text.toLowerCase(Locale.ROOT).contains(wanted)))
        .toList();
  }

  private static String query(String search, boolean isOnlyTroubled, int page) {
    return (search.isEmpty() ? "" : SEARCH + "=" + FilterQuery.encoded(search) + "&")
        + (isOnlyTroubled ? ONLY + "=" + TROUBLED + "&" : "")
        + "page="
        + page;
  }

  private static int number(MultiMap query) {
    String page = query.get("page");
    return page != null && page.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(page) : 1;
  }
}
