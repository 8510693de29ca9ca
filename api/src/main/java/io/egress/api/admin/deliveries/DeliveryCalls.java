package io.egress.api.admin.deliveries;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toMap;

import io.egress.api.admin.captures.Captures;
import io.egress.api.admin.deliveries.DeliveryReads.DeliveryWithAttempts;
import io.egress.api.admin.replays.Replays;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.api.call.Pages;
import io.egress.api.intake.QueryValues;
import io.egress.platform.audit.Caller;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.Endpoint;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** Lists and shows the deliveries of a workspace. */
public final class DeliveryCalls {
  private final Captures captures;
  private final DeliveryReads reads;
  private final SentBodies bodies;
  private final Replays replays;

  public DeliveryCalls(Captures captures, DeliveryReads reads, SentBodies bodies, Replays replays) {
    this.captures = captures;
    this.bodies = bodies;
    this.reads = reads;
    this.replays = replays;
  }

  /** Deliveries to all endpoints. */
  public Answer list(Call call) {
    return page(call.workspaceId(), reads.list(call.workspaceId(), call.query()));
  }

  /** Deliveries to one endpoint. */
  public Answer listOf(Call call) {
    return page(
        call.workspaceId(), reads.list(call.workspaceId(), call.id("endpoint"), call.query()));
  }

  private Answer page(UUID workspaceId, DeliveryReads.FoundDeliveries page) {
    List<LoggedDelivery> deliveries = page.deliveries();
    Map<UUID, String> titles =
        captures.titles(workspaceId, deliveries.stream().map(LoggedDelivery::captureId).toList());
    Map<UUID, LastAttempt> last = reads.lastAttempts(deliveries);
    Map<UUID, Endpoint> endpoints =
        page.endpoints().stream().collect(toMap(Endpoint::id, Function.identity()));
    return Pages.answer(
        "deliveries",
        deliveries.stream()
            .map(each ->
                DeliveryView.Named.of(
                    each,
                    titles.get(each.captureId()),
                    endpoints.get(each.endpointId()),
                    last.get(each.id())))
            .toList(),
        page.next());
  }

  /** Shows a delivery with its attempts, and on request with the body of one. */
  public Answer show(Call call) {
    UUID workspaceId = call.workspaceId();
    UUID id = call.id("delivery");
    Integer attempt =
        QueryValues.one(
            call.query(), "body", SentBodies::attempt, "must be the number of an attempt");
    DeliveryWithAttempts found = reads.one(workspaceId, id);
    DeliveryView.Detailed delivery = DeliveryView.Detailed.of(found);
    if (attempt == null) {
      return Answer.ok(delivery);
    }
    SentBodies.SentBody body = bodies.read(call.workspaceId(), found, attempt);
    return Answer.ok(
        new DeliveryView.WithBody(delivery, body.bytes().toString(UTF_8), body.verified()));
  }

  /** Answers with the new delivery. */
  public Answer redeliver(Call call) {
    UUID workspaceId = call.workspaceId();
    UUID id = call.id("delivery");
    Caller caller = call.caller();
    LoggedDelivery delivery = reads.find(workspaceId, id);
    UUID replayId = replays.redeliver(caller, workspaceId, delivery).id();
    return Answer.accepted(DeliveryView.Redelivery.of(delivery, replayId));
  }
}
