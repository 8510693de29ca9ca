package io.egress.api.portal.view;

import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LoggedDelivery;
import java.time.Instant;
import java.util.UUID;

/** Another delivery of the same capture to the same endpoint. */
public record OtherDelivery(UUID id, String origin, String state, Instant owedAt) {
  /** The state in words. */
  public String shownState() {
    return DeliveryState.of(state).shown();
  }

  public static OtherDelivery of(LoggedDelivery delivery) {
    return new OtherDelivery(
        delivery.id(), delivery.origin().word(), delivery.state().word(), delivery.owedAt());
  }
}
