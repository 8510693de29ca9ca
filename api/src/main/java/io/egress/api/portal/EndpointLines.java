package io.egress.api.portal;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.deliveries.EndpointHealth;
import io.egress.api.admin.deliveries.EndpointHealths;
import io.egress.api.admin.deliveries.NewestAttempts;
import io.egress.api.admin.deliveries.PendingDeliveries;
import io.egress.api.admin.deliveries.PendingDeliveries.Pending;
import io.egress.api.admin.deliveries.RecentOutcomes;
import io.egress.api.portal.view.DayChart;
import io.egress.api.portal.view.EndpointLine;
import io.egress.api.portal.view.EndpointStatus;
import io.egress.api.portal.view.Times;
import io.egress.webhook.endpoint.Endpoint;
import java.net.URI;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The health and the recent outcomes of endpoints, a line for each. */
final class EndpointLines {
  private final EndpointHealths healths;
  private final PendingDeliveries pending;
  private final RecentOutcomes outcomes;

  EndpointLines(EndpointHealths healths, PendingDeliveries pending, RecentOutcomes outcomes) {
    this.healths = healths;
    this.pending = pending;
    this.outcomes = outcomes;
  }

  /** Those with problems first, as far as that is known without judging each. */
  List<Endpoint> troubledFirst(UUID workspaceId, List<Endpoint> all) {
    return healths.troubledFirst(workspaceId, all);
  }

  /** The worst first, and only those with problems if {@code isOnlyTroubled}. */
  List<Endpoint> worstFirst(List<Endpoint> all, boolean isOnlyTroubled) {
    if (all.isEmpty()) {
      return List.of();
    }
    Map<UUID, NewestAttempts> newest = healths.newestAttempts(all);
    Map<UUID, EndpointHealth.State> states = new HashMap<>();
    all.forEach(
        each -> states.put(each.id(), requireNonNull(newest.get(each.id())).judge(each.paused())));
    return all.stream()
        .filter(each -> !isOnlyTroubled || requireNonNull(states.get(each.id())).isProblem())
        .sorted(Comparator.comparing(each -> requireNonNull(states.get(each.id()))))
        .toList();
  }

  /** The last 24 hours, by endpoint id. {@code endpoints} belong to the workspace. */
  Map<UUID, DayChart> charts(UUID workspaceId, List<Endpoint> endpoints, Instant now) {
    Map<UUID, DayChart> charts = new HashMap<>();
    outcomes.of(workspaceId, endpoints, now).forEach((id, day) -> charts.put(id, DayChart.of(day)));
    return charts;
  }

  /** The worst first. {@code endpoints} belong to the workspace. */
  List<EndpointLine> of(UUID workspaceId, List<Endpoint> endpoints, Instant now) {
    return of(endpoints, charts(workspaceId, endpoints, now), now);
  }

  /** The worst first. {@code charts} has one of each endpoint. */
  List<EndpointLine> of(List<Endpoint> endpoints, Map<UUID, DayChart> charts, Instant now) {
    Map<UUID, EndpointHealth> health = healths.of(endpoints);
    Map<UUID, Pending> behind = pending.of(endpoints);
    return endpoints.stream()
        .sorted(Comparator.comparing(each -> requireNonNull(health.get(each.id())).state()))
        .map(each ->
            line(
                each,
                requireNonNull(health.get(each.id())),
                requireNonNull(behind.get(each.id())),
                requireNonNull(charts.get(each.id())),
                now))
        .toList();
  }

  EndpointLine one(UUID workspaceId, Endpoint endpoint, Instant now) {
    return of(workspaceId, List.of(endpoint), now).getFirst();
  }

  private static EndpointLine line(
      Endpoint endpoint, EndpointHealth health, Pending pending, DayChart chart, Instant now) {
    Instant oldest = pending.oldest();
    return new EndpointLine(
        endpoint.id(),
        EndpointNames.of(endpoint),
        endpoint.url(),
        URI.create(endpoint.url()).getRawAuthority(),
        EndpointStatus.of(health, endpoint.pausedAt(), now),
        chart,
        Times.number(pending.captures()) + (pending.hasMore() ? " or more" : ""),
        oldest == null ? null : Times.age(oldest, now));
  }
}
