package io.egress.api.admin.overview;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.egress.api.admin.deliveries.EndpointHealth;
import io.egress.api.admin.deliveries.EndpointHealth.LastFailure;
import io.egress.api.admin.deliveries.EndpointHealths;
import io.egress.api.admin.deliveries.NewestAttempts;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.call.Pages;
import io.egress.api.intake.CreationPlace;
import io.egress.api.intake.QueryValues;
import io.egress.webhook.endpoint.Endpoint;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Lists the endpoints of a workspace with their health. */
public final class EndpointListCalls {
  /**
   * An endpoint in the list.
   *
   * @param lastFailure how the newest attempt failed, in words; null if it succeeded, or there is
   *     none
   */
  private record EndpointView(
      @JsonUnwrapped Endpoint endpoint,
      EndpointHealth.State health,
      int attempts,
      int succeeded,
      @Nullable Instant lastSuccessAt,
      @Nullable Instant failingSince,
      @Nullable Instant lastFailureAt,
      @Nullable String lastFailure) {
    static EndpointView of(Endpoint endpoint, NewestAttempts newest) {
      LastFailure failure = newest.lastFailure();
      return new EndpointView(
          endpoint,
          newest.judge(endpoint.paused()),
          newest.attempts(),
          newest.succeeded(),
          newest.lastSuccess(),
          newest.failingSince(),
          failure == null ? null : failure.at(),
          failure == null ? null : failure.text().words());
    }
  }

  private final Endpoints endpoints;
  private final EndpointHealths healths;

  public EndpointListCalls(Endpoints endpoints, EndpointHealths healths) {
    this.endpoints = endpoints;
    this.healths = healths;
  }

  public Answer list(Call call) {
    int limit = QueryValues.largeLimit(call.query());
    CreationPlace after = QueryValues.afterCreated(call.query());
    List<Endpoint> found = endpoints.list(call.workspaceId(), after, limit + 1);
    Map<UUID, NewestAttempts> newest = found.isEmpty() ? Map.of() : healths.newestAttempts(found);
    return Pages.answer(
        "endpoints",
        found.stream()
            .map(each -> EndpointView.of(each, requireNonNull(newest.get(each.id()))))
            .toList(),
        limit,
        listed -> new CreationPlace(listed.endpoint().createdAt(), listed.endpoint().id()));
  }
}
