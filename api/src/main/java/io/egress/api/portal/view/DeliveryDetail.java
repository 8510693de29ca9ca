package io.egress.api.portal.view;

import io.egress.api.admin.captures.Captures;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delivery with its capture and its attempts.
 *
 * @param attempts newest first
 * @param first the first delivery of the capture to the endpoint; null if this is it
 * @param others by replays and redeliveries, oldest first
 */
public record DeliveryDetail(
    DeliveryRow row,
    String endpointUrl,
    Captures.@Nullable Summary capture,
    List<AttemptGroup> attempts,
    @Nullable UUID first,
    List<OtherDelivery> others) {
  public DeliveryDetail {
    attempts = List.copyOf(attempts);
    others = List.copyOf(others);
  }

  /** Whether the page may still change. */
  public boolean isOpen() {
    return row.state().equals("pending");
  }
}
