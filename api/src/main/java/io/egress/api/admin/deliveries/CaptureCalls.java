package io.egress.api.admin.deliveries;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.egress.api.admin.captures.Captures;
import io.egress.api.admin.captures.FoundCapture;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.platform.http.Refusal;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.Endpoint;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Shows a capture of whatever workspace, and what became of it at each endpoint. */
public final class CaptureCalls {
  private record WithEndpoints(@JsonUnwrapped FoundCapture capture, List<AtEndpoint> endpoints) {}

  private record AtEndpoint(
      UUID endpointId,
      String url,
      @Nullable String description,
      boolean paused,
      List<Of> deliveries) {}

  private record Of(
      UUID id, Origin origin, DeliveryState state, int attempts, @Nullable String lastOutcome) {}

  private final Captures captures;
  private final Endpoints endpoints;
  private final DeliveryReads deliveries;

  public CaptureCalls(Captures captures, Endpoints endpoints, DeliveryReads deliveries) {
    this.captures = captures;
    this.endpoints = endpoints;
    this.deliveries = deliveries;
  }

  public Answer find(Call call) {
    FoundCapture capture =
        captures
            .find(call.id("capture"))
            .orElseThrow(
                () -> new Refusal(404, "the service never received a capture with this id"));
    List<Endpoint> all = endpoints.list(capture.workspaceId());
    Map<UUID, List<LoggedDelivery>> byEndpoint =
        deliveries.ofCapture(capture.workspaceId(), all, capture.id()).stream()
            .collect(Collectors.groupingBy(LoggedDelivery::endpointId));
    return Answer.ok(
        new WithEndpoints(
            capture,
            all.stream()
                .map(each -> at(each, byEndpoint.getOrDefault(each.id(), List.of())))
                .toList()));
  }

  private static AtEndpoint at(Endpoint endpoint, List<LoggedDelivery> deliveries) {
    return new AtEndpoint(
        endpoint.id(),
        endpoint.url(),
        endpoint.description(),
        endpoint.paused(),
        deliveries.stream()
            .map(each ->
                new Of(each.id(), each.origin(), each.state(), each.attempts(), each.lastOutcome()))
            .toList());
  }
}
