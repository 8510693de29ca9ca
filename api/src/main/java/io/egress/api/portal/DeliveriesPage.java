package io.egress.api.portal;

import static java.util.Objects.requireNonNullElse;

import io.egress.api.admin.captures.Captures;
import io.egress.api.admin.deliveries.DeliveryReads;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.call.Answer;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.Choice;
import io.egress.api.portal.view.DeliveryFilterForm;
import io.egress.api.portal.view.DeliveryRow;
import io.egress.api.portal.view.DeliveryTable;
import io.egress.api.portal.view.Frame;
import io.egress.platform.http.PathIds;
import io.egress.platform.http.Refusal;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.send.FailureText;
import io.vertx.core.MultiMap;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The list of a workspace's deliveries. */
final class DeliveriesPage {
  private static final List<String> FILTERS =
      List.of("endpoint", "state", "outcome", "title", "capture_id", "from", "to");

  private static final List<String> TIMES = List.of("from", "to");

  /** A workspace with more is filtered by the id of an endpoint instead of choosing one. */
  private static final int CHOICES_MAX = 100;

  /** Filters that a replay does not have. */
  private static final List<String> NOT_OF_REPLAYS = List.of("capture_id", "outcome", "title");

  private final PageRenderer pages;
  private final Captures captures;
  private final Endpoints endpoints;
  private final DeliveryReads deliveries;
  private final Clock clock;

  DeliveriesPage(
      PageRenderer pages,
      Captures captures,
      Endpoints endpoints,
      DeliveryReads deliveries,
      Clock clock) {
    this.clock = clock;
    this.pages = pages;
    this.captures = captures;
    this.endpoints = endpoints;
    this.deliveries = deliveries;
  }

  Answer list(Visit visit) {
    MultiMap query = FilterQuery.withShortTitle(FilterQuery.of(visit.query(), FILTERS), "title");
    Map<String, String> problems = problems(query);
    List<Endpoint> all = endpoints.list(visit.workspaceId());
    DeliveryTable table = problems.isEmpty() ? table(visit, query, all) : DeliveryTable.NOTHING;
    Frame frame = pages.frame(visit, "Deliveries", "deliveries");
    return pages.page(
        problems.isEmpty() ? 200 : 400,
        "deliveries",
        Map.of(
            "frame",
            frame,
            "filter",
            filter(query, all, problems),
            "table",
            table,
            "live",
            problems.isEmpty() ? live(frame, query, table) : ""));
  }

  /** What is wrong with each filter, in words for people. */
  private static Map<String, String> problems(MultiMap query) {
    Map<String, String> problems = new LinkedHashMap<>();
    for (String id : List.of("endpoint", "capture_id")) {
      if (query.contains(id) && PathIds.uuid(query.get(id)).isEmpty()) {
        problems.put(id, FilterQuery.NO_ID);
      }
    }
    if (query.contains("state") && DeliveryState.find(query.get("state")).isEmpty()) {
      problems.put("state", "There is no such state.");
    }
    if (query.contains("outcome") && !DeliveryReads.outcomes().contains(query.get("outcome"))) {
      problems.put("outcome", "There is no such outcome.");
    }
    problems.putAll(FilterQuery.timeProblems(query));
    return problems;
  }

  /** Those of a query; empty, or ending with an ampersand. */
  static String filters(MultiMap query) {
    return FilterQuery.encoded(FilterQuery.of(query, FILTERS), FILTERS);
  }

  Answer liveList(Visit visit) {
    MultiMap query = FilterQuery.withShortTitle(FilterQuery.of(visit.query(), FILTERS), "title");
    DeliveryTable table = table(visit, query, endpoints.list(visit.workspaceId()));
    Frame frame = pages.frame(visit, "Deliveries", "deliveries");
    return pages.part(
        visit,
        table,
        "deliveries-live",
        () -> Map.of("frame", frame, "table", table, "live", live(frame, query, table)));
  }

  private DeliveryTable table(Visit visit, MultiMap query, List<Endpoint> all) {
    UUID workspaceId = visit.workspaceId();
    MultiMap filters = MultiMap.caseInsensitiveMultiMap().addAll(query).remove("endpoint");
    for (String time : TIMES) {
      if (query.contains(time)) {
        filters.set(time, LocalTimes.instant(query.get(time)));
      }
    }
    String endpoint = query.get("endpoint");
    DeliveryReads.FoundDeliveries page =
        endpoint == null
            ? deliveries.list(workspaceId, all, filters)
            : deliveries.list(
                workspaceId,
                PathIds.uuid(endpoint)
                    .orElseThrow(() -> new Refusal(400, "endpoint must be one UUID")),
                filters);
    List<UUID> captureIds = page.deliveries().stream().map(LoggedDelivery::captureId).toList();
    return table(query, all, page, captures.shownTitles(workspaceId, captureIds));
  }

  private DeliveryTable table(
      MultiMap query,
      List<Endpoint> all,
      DeliveryReads.FoundDeliveries page,
      Map<UUID, String> titles) {
    Map<UUID, String> names =
        all.stream().collect(Collectors.toMap(Endpoint::id, EndpointNames::of));
    Instant now = clock.instant();
    List<DeliveryRow> rows =
        page.deliveries().stream()
            .map(each ->
                DeliveryRow.of(
                    each,
                    titles.getOrDefault(each.captureId(), Captures.UNTITLED),
                    names.getOrDefault(each.endpointId(), EndpointNames.DELETED),
                    now))
            .toList();
    String next = page.next();
    return new DeliveryTable(
        rows,
        FILTERS.stream().anyMatch(query::contains),
        Stream.of("state", "outcome", "title").anyMatch(query::contains),
        replayOfAll(query),
        undeliveredOfAll(query),
        FilterQuery.encoded(query, FILTERS),
        next == null
            ? null
            : FilterQuery.encoded(query, FILTERS) + "after=" + FilterQuery.encoded(next));
  }

  /** The query of a form that replays what matches; null unless one endpoint is selected. */
  private static @Nullable String replayOfAll(MultiMap query) {
    String endpoint = query.get("endpoint");
    if (endpoint == null || NOT_OF_REPLAYS.stream().anyMatch(query::contains)) {
      return null;
    }
    String state = query.get("state");
    boolean isAny = state == null || state.equals(DeliveryState.DELIVERED.word());
    return endpoint
        + "/replay?what="
        + (isAny ? "all" : "undelivered")
        + TIMES.stream()
            .filter(query::contains)
            .map(time -> "&" + time + "=" + FilterQuery.encoded(query.get(time)))
            .collect(Collectors.joining());
  }

  /** Null unless all endpoints are selected, and what failed or was skipped. */
  private static @Nullable String undeliveredOfAll(MultiMap query) {
    boolean isReplayable =
        DeliveryState.find(requireNonNullElse(query.get("state"), ""))
            .filter(DeliveryState::isReplayable)
            .isPresent();
    if (!isReplayable
        || query.contains("endpoint")
        || NOT_OF_REPLAYS.stream().anyMatch(query::contains)) {
      return null;
    }
    return FilterQuery.encoded(query, ReplaysPage.OF_ALL);
  }

  private static DeliveryFilterForm filter(
      MultiMap query, List<Endpoint> all, Map<String, String> problems) {
    List<Choice> byState = new ArrayList<>();
    byState.add(choice(query, "state", "", "All states"));
    for (DeliveryState state : DeliveryState.values()) {
      byState.add(choice(query, "state", state.word(), state.shown()));
    }
    List<Choice> byOutcome = new ArrayList<>();
    byOutcome.add(choice(query, "outcome", "", "Any outcome"));
    for (String outcome : DeliveryReads.outcomes()) {
      byOutcome.add(choice(query, "outcome", outcome, FailureText.words(outcome)));
    }
    return new DeliveryFilterForm(
        all.size() > CHOICES_MAX ? List.of() : byEndpoint(query, all),
        endpoint(query, all),
        all.size(),
        byState,
        byOutcome,
        requireNonNullElse(query.get("title"), ""),
        requireNonNullElse(query.get("capture_id"), ""),
        requireNonNullElse(query.get("from"), ""),
        requireNonNullElse(query.get("to"), ""),
        problems);
  }

  private static List<Choice> byEndpoint(MultiMap query, List<Endpoint> all) {
    List<Choice> choices = new ArrayList<>();
    choices.add(choice(query, "endpoint", "", "All endpoints"));
    all.forEach(each ->
        choices.add(choice(query, "endpoint", each.id().toString(), EndpointNames.of(each))));
    return choices;
  }

  /** The chosen endpoint, or what was typed instead of its id. */
  private static Choice endpoint(MultiMap query, List<Endpoint> all) {
    String asked = requireNonNullElse(query.get("endpoint"), "");
    return new Choice(
        asked,
        all.stream()
            .filter(each -> each.id().toString().equalsIgnoreCase(asked))
            .findFirst()
            .map(EndpointNames::of)
            .orElse(""),
        !asked.isEmpty());
  }

  private static Choice choice(MultiMap query, String field, String value, String label) {
    String asked = query.get(field);
    return new Choice(value, label, value.equals(asked == null ? "" : asked));
  }

  /** Only the first page updates itself. */
  private static String live(Frame frame, MultiMap query, DeliveryTable table) {
    return query.contains("after")
        ? ""
        : LivePart.path(
            frame.base() + "/live/deliveries", FilterQuery.encoded(query, FILTERS), table);
  }
}
