package io.egress.api.portal;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.deliveries.EndpointHealth;
import io.egress.api.admin.deliveries.EndpointHealths;
import io.egress.api.admin.deliveries.RecentOutcomes;
import io.egress.api.portal.view.DayChart;
import io.egress.api.portal.view.EndpointStatus;
import io.egress.api.portal.view.Overview.EndpointCard;
import io.egress.api.portal.view.Times;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The health and the recent outcomes of endpoints. */
final class EndpointCards {
  private final EndpointHealths healths;
  private final RecentOutcomes outcomes;

  EndpointCards(EndpointHealths healths, RecentOutcomes outcomes) {
    this.healths = healths;
    this.outcomes = outcomes;
  }

  /** An endpoint of a list. */
  record Listed(Endpoint endpoint, EndpointHealth health) {
    EndpointStatus status() {
      return EndpointStatus.of(health);
    }
  }

  /** A page of a workspace's endpoints, those with problems first. */
  Future<List<Listed>> page(UUID workspaceId, List<Endpoint> all, int first, int max) {
    return healths
        .troubledFirst(workspaceId, all)
        .compose(sorted -> {
          List<Endpoint> page = sorted.stream().skip(first).limit(max).toList();
          return healths
              .of(page)
              .map(found ->
                  page.stream()
                      .map(each -> new Listed(each, requireNonNull(found.get(each.id()))))
                      .sorted(Comparator.comparing(each -> each.health().state()))
                      .toList());
        });
  }

  /** The first {@code max} cards, those of endpoints with problems first. */
  Future<List<EndpointCard>> worstFirst(
      UUID workspaceId, List<Endpoint> all, int max, Instant now) {
    return page(workspaceId, all, 0, max)
        .compose(page ->
            outcomes
                .of(workspaceId, page.stream().map(Listed::endpoint).toList(), now)
                .map(days -> page.stream().map(each -> card(each, days, now)).toList()));
  }

  Future<EndpointCard> one(UUID workspaceId, Endpoint endpoint, Instant now) {
    return worstFirst(workspaceId, List.of(endpoint), 1, now).map(cards -> cards.get(0));
  }

  private static EndpointCard card(Listed listed, Map<UUID, RecentOutcomes.Day> days, Instant now) {
    Endpoint endpoint = listed.endpoint();
    RecentOutcomes.Day day = requireNonNull(days.get(endpoint.id()));
    DayChart chart = DayChart.of(day);
    long behind = day.retrying() + chart.total("waiting");
    @Nullable Instant oldest = day.oldest();
    return new EndpointCard(
        endpoint.id(),
        EndpointNames.of(endpoint),
        endpoint.url(),
        listed.status(),
        chart,
        Times.number(behind) + (day.retrying() >= RecentOutcomes.COUNTED_MAX ? " or more" : ""),
        oldest == null ? null : Times.age(oldest, now));
  }
}
