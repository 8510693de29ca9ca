package io.egress.api.portal;

import io.egress.api.admin.captures.Captures;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.admin.keys.ApiKeys;
import io.egress.api.admin.workspaces.RetentionPolicy;
import io.egress.api.call.Answer;
import io.egress.api.portal.access.Visit;
import io.egress.api.portal.view.DayChart;
import io.egress.api.portal.view.Frame;
import io.egress.api.portal.view.Overview;
import io.egress.webhook.endpoint.Endpoint;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The overview of a workspace. */
final class OverviewPage {
  private static final int ENDPOINTS_MAX = 24;
  private static final int STOPPED_MAX = 10;

  /** Of which the chart of all is the sum. */
  private static final int COUNTED_MAX = 100;

  private final PageRenderer pages;
  private final Captures captures;
  private final Endpoints endpoints;
  private final EndpointLines lines;
  private final ApiKeys keys;
  private final RetentionPolicy retention;
  private final Clock clock;

  OverviewPage(
      PageRenderer pages,
      Captures captures,
      Endpoints endpoints,
      EndpointLines lines,
      ApiKeys keys,
      RetentionPolicy retention,
      Clock clock) {
    this.pages = pages;
    this.captures = captures;
    this.endpoints = endpoints;
    this.lines = lines;
    this.keys = keys;
    this.retention = retention;
    this.clock = clock;
  }

  Answer show(Visit visit) {
    return pages.page(200, "overview", parameters(visit, overview(visit)));
  }

  Answer live(Visit visit) {
    Overview overview = overview(visit);
    return pages.part(visit, overview, "overview-live", () -> parameters(visit, overview));
  }

  private Map<String, Object> parameters(Visit visit, Overview overview) {
    Frame frame = pages.frame(visit, "Overview", "overview");
    String live = LivePart.path(frame.base() + "/live/overview", "", overview);
    return Map.of("frame", frame, "overview", overview, "live", live);
  }

  private Overview overview(Visit visit) {
    Instant now = clock.instant();
    Captures.Newest newest = captures.newest(visit.workspaceId()).orElse(null);
    List<Endpoint> all =
        lines.troubledFirst(visit.workspaceId(), endpoints.list(visit.workspaceId()));
    List<Endpoint> counted = all.stream().limit(COUNTED_MAX).toList();
    List<Endpoint> shown = all.stream().limit(ENDPOINTS_MAX).toList();
    Map<UUID, DayChart> charts = lines.charts(visit.workspaceId(), counted, now);
    return new Overview(
        newest,
        all.size(),
        lines.of(shown, charts, now),
        keys.stopped(visit.workspaceId(), STOPPED_MAX),
        all.size() < 2 ? null : DayChart.sum(List.copyOf(charts.values())),
        counted.size(),
        retention.of(visit.workspaceId()));
  }
}
