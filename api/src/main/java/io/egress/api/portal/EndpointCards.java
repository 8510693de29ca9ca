package io.egress.api.portal;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.deliveries.EndpointHealth;
import io.egress.api.admin.deliveries.EndpointHealths;
import io.egress.api.admin.deliveries.PendingDeliveries;
import io.egress.api.admin.deliveries.PendingDeliveries.Pending;
import io.egress.api.admin.deliveries.RecentOutcomes;
import io.egress.api.portal.view.DayChart;
import io.egress.api.portal.view.EndpointStatus;
import io.egress.api.portal.view.Overview.EndpointCard;
import io.egress.api.portal.view.Times;
import io.egress.webhook.endpoint.Endpoint;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The health and the recent outcomes of endpoints. */
final class EndpointCards {
  private final EndpointHealths healths;
  private final PendingDeliveries pending;
  private final RecentOutcomes outcomes;

  EndpointCards(EndpointHealths healths, PendingDeliveries pending, RecentOutcomes outcomes) {
    this.healths = healths;
    this.pending = pending;
    this.outcomes = outcomes;
  }

  /** An endpoint of a list. */
  record Listed(Endpoint endpoint, EndpointHealth health) {
    EndpointStatus status(Instant now) {
      return EndpointStatus.of(health, now);
    }
  }

  /** A page of a workspace's endpoints, those with problems first. */
  List<Listed> page(UUID workspaceId, List<Endpoint> all, int first, int max) {
    List<Endpoint> page =
        healths.troubledFirst(workspaceId, all).stream().skip(first).limit(max).toList();
    Map<UUID, EndpointHealth> found = healths.of(page);
    return page.stream()
        .map(each -> new Listed(each, requireNonNull(found.get(each.id()))))
        .sorted(Comparator.comparing(each -> each.health().state()))
        .toList();
  }

  /** The first {@code max} cards, those of endpoints with problems first. */
  List<EndpointCard> worstFirst(UUID workspaceId, List<Endpoint> all, int max, Instant now) {
    return cards(workspaceId, page(workspaceId, all, 0, max), now);
  }

  EndpointCard one(UUID workspaceId, Endpoint endpoint, Instant now) {
    EndpointHealth health = requireNonNull(healths.of(List.of(endpoint)).get(endpoint.id()));
    return cards(workspaceId, List.of(new Listed(endpoint, health)), now).getFirst();
  }

  private List<EndpointCard> cards(UUID workspaceId, List<Listed> page, Instant now) {
    List<Endpoint> endpoints = page.stream().map(Listed::endpoint).toList();
    Map<UUID, Pending> behind = pending.of(endpoints);
    Map<UUID, RecentOutcomes.Day> days = outcomes.of(workspaceId, endpoints, now);
    return page.stream()
        .map(each ->
            card(
                each,
                requireNonNull(behind.get(each.endpoint().id())),
                DayChart.of(requireNonNull(days.get(each.endpoint().id()))),
                now))
        .toList();
  }

  private static EndpointCard card(Listed listed, Pending pending, DayChart chart, Instant now) {
    Endpoint endpoint = listed.endpoint();
    Instant oldest = pending.oldest();
    return new EndpointCard(
        endpoint.id(),
        EndpointNames.of(endpoint),
        endpoint.url(),
        listed.status(now),
        chart,
        Times.number(pending.captures()) + (pending.hasMore() ? " or more" : ""),
        oldest == null ? null : Times.age(oldest, now));
  }
}
